import { allOf, always, type Danger, says, some } from "./checks.ts";

const containers = "docker podman nerdctl";
const databases =
  "psql mysql mariadb sqlite3 sqlcmd sqlplus clickhouse-client cockroach mongo mongosh duckdb bq redis-cli valkey-cli";
const clouds =
  "aws gcloud az gsutil doctl flyctl fly heroku vercel netlify railway wrangler supabase firebase eksctl linode-cli hcloud oci ibmcloud s3cmd rclone azcopy";

const hubPhrases =
  "release create, release delete, repo delete, repo edit, secret set, secret delete, auth token, workflow run, pr merge, ssh-key add";

const DELETES =
  /^(?:delete|destroy|terminate|rm|rb|purge|remove|wipe)$|^(?:delete|terminate|remove|destroy|purge)-|:destroy$/;

const SECRETS =
  /^(?:print-access-token|get-secret-value|get-access-token|get-login-password|export-credentials)$/;

const KEYCHAIN = /^(?:find-generic-password|find-internet-password|dump-keychain)$/;

/** What is dangerous for data and programs that others use. */
export const remoteDangers: readonly Danger[] = [
  [
    "npm pnpm yarn bun cargo poetry flit hatch lerna vsce ovsx jsr deno",
    "publishes to everyone",
    says("publish", "unpublish", "deprecate", "dist-tag", "yank"),
  ],
  [
    "twine gem docker podman skopeo crane dotnet nuget mvn gradle gradlew goreleaser",
    "publishes to everyone",
    says("upload", "push", "deploy", "publish", "release"),
  ],
  ["gh glab", "deletes what others see", allOf(says("api"), some(/^(?:-X=?|--method=)?delete$/i))],
  ["gh glab", "changes what others see, or shows a key", says(...hubPhrases.split(", "))],
  [
    containers,
    "deletes data of containers",
    says("prune", "volume rm", "compose down", "image rm", "network rm"),
  ],
  [
    containers,
    "gives a container the rights of the machine",
    some(/^--privileged|^--(?:pid|net|network|userns|ipc)=host$|docker\.sock|^\/:|^--cap-add/),
  ],
  [databases, "deletes data of a database", some(/^(?:flushall|flushdb|shutdown)$/i)],
  ["dropdb dropuser", "deletes a database", always],
  ["mysqladmin", "deletes a database", says("drop", "shutdown")],
  [
    "terraform tofu terragrunt pulumi cdk cdktf sst serverless sls",
    "changes or destroys what runs in the cloud",
    some(/^(?:destroy|remove|down|apply|up|deploy|--?destroy)$/),
  ],
  [
    "kubectl oc",
    "changes or deletes what runs in a cluster",
    says("delete", "drain", "cordon", "replace", "scale", "rollout undo"),
  ],
  ["kubectl oc", "shows passwords or keys", says("get secret", "get secrets")],
  ["helm", "changes or deletes what runs in a cluster", says("uninstall", "delete", "rollback")],
  [clouds, "deletes something in the cloud", some(DELETES)],
  [clouds, "deletes something in the cloud", some(/^--delete(?:-|$)/)],
  [clouds, "shows passwords or keys", some(SECRETS)],
  ["security", "shows passwords or keys", some(KEYCHAIN)],
  ["gpg gpg2", "shows passwords or keys", some(/^--export-secret/)],
  ["pass", "shows passwords or keys", always],
  [
    "op vault bw lpass secret-tool kwallet-query",
    "shows passwords or keys",
    says("read", "show", "lookup", "kv get", "get"),
  ],
];
