// Runs bundles on a bare workerd: no development server in the path of what is measured.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative } from "node:path";
import { root } from "../scripts/project.mjs";

const { default: workerd } = createRequire(import.meta.url)("workerd");

const compatibilityDate = /^compatibility_date = "(.+)"$/m.exec(
  readFileSync(join(root, "wrangler.toml"), "utf8"),
)[1];

/**
 * What starts a bundle: `start(port, directory, mockUrl)` writes a config into `directory`, where the objects' data
 * goes too, and gives the command.
 * @param {{ name: string, file: string }[]} modules the first is the entry; `name` is how the others import it
 * @param {{ objects: Record<string, string>, vars: (mockUrl: string) => Record<string, string> }} options
 *   objects: class by binding
 */
export function workerdStart(modules, { objects, vars }, flags = []) {
  return (port, directory, mockUrl) => {
    const config = join(directory, "workerd.capnp");
    const text = configOf(modules, { directory, port, objects, vars: vars(mockUrl) });
    writeFileSync(config, text);
    return { cmd: workerd, args: ["serve", ...flags, config], cwd: directory, env: {} };
  };
}

function configOf(modules, { directory, port, objects, vars }) {
  const embeds = modules.map(
    ({ name, file }) => `(name = "${name}", esModule = embed "${relative(directory, file)}")`,
  );
  const classes = Object.values(objects);
  const namespaces = classes.map(
    (name) => `(className = "${name}", uniqueKey = "${name}", enableSql = true)`,
  );
  const bindings = [
    ...Object.entries(objects).map(
      ([binding, name]) => `(name = "${binding}", durableObjectNamespace = "${name}")`,
    ),
    ...Object.entries(vars).map(([name, text]) => `(name = "${name}", text = "${text}")`),
  ];
  return `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "loopback", network = (allow = ["local"])),
    (name = "data", disk = (path = "${directory}", writable = true)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);

const worker :Workerd.Worker = (
  modules = [${embeds.join(", ")}],
  compatibilityDate = "${compatibilityDate}",
  bindings = [${bindings.join(", ")}],
  globalOutbound = "loopback",
  durableObjectNamespaces = [${namespaces.join(", ")}],
  durableObjectStorage = (localDisk = "data"),
);
`;
}
