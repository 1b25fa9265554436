import http from "node:http";

/** Connections to servers are kept, as browsers keep them: what is measured is the turn, not the connection. */
const agent = new http.Agent({ keepAlive: true, maxSockets: Infinity, maxFreeSockets: 512 });

/** The body of a GET to this machine. */
export function get(port, path) {
  return new Promise((resolve, reject) => {
    const request = http.get({ host: "127.0.0.1", port, path, agent }, (response) => {
      const parts = [];
      response.on("data", (part) => parts.push(part));
      response.on("end", () => resolve(Buffer.concat(parts).toString()));
    });
    request.on("error", reject);
  });
}

/** Sends a POST to this machine. `onData` gets the pieces of the body; resolves to the socket's byte counts at its end. */
export function post(port, { path, headers, body }, onData, timeoutMs) {
  return new Promise((resolve, reject) => {
    const length = { "content-length": Buffer.byteLength(body) };
    const options = {
      host: "127.0.0.1",
      port,
      path,
      method: "POST",
      agent,
      headers: { ...headers, ...length },
    };
    const request = http.request(options, (response) => {
      if (response.statusCode !== 200) {
        response.resume();
        reject(new Error(`${path} answered ${response.statusCode}`));
        return;
      }
      response.on("data", onData);
      response.on("end", () =>
        resolve({ up: socket.bytesWritten - up, down: socket.bytesRead - down }),
      );
      response.on("error", reject);
    });
    let socket;
    let up = 0;
    let down = 0;
    request.once("socket", (assigned) => {
      socket = assigned;
      up = socket.bytesWritten;
      down = socket.bytesRead;
    });
    request.setTimeout(timeoutMs, () => request.destroy(new Error(`${path} timed out`)));
    request.on("error", reject);
    request.end(body);
  });
}
