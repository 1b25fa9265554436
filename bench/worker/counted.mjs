// A counter in front of an object's storage. Not used where time is measured.
const cursors = [];
const calls = {};
/** The storages of the objects that are counted. */
const counting = new WeakSet();

/** Patches the prototypes behind an object's storage, which all objects of the isolate share, once. */
function count(storage) {
  counting.add(storage).add(storage.sql);
  const sql = Object.getPrototypeOf(storage.sql);
  if (sql.isCounted) return;
  sql.isCounted = true;
  const { exec } = sql;
  sql.exec = function (...args) {
    const cursor = exec.apply(this, args);
    if (counting.has(this)) cursors.push(cursor);
    return cursor;
  };
  const prototype = Object.getPrototypeOf(storage);
  for (const name of ["setAlarm", "deleteAlarm", "transactionSync", "put", "delete", "get"]) {
    const original = prototype[name];
    prototype[name] = function (...args) {
      if (counting.has(this)) calls[name] = (calls[name] ?? 0) + 1;
      return original.apply(this, args);
    };
  }
}

/** What happened since the last call. Rows are counted when a cursor is done, so they are added up only here. */
function take() {
  const totals = { statements: cursors.length, rowsRead: 0, rowsWritten: 0, calls: { ...calls } };
  for (const cursor of cursors.splice(0)) {
    try {
      totals.rowsRead += cursor.rowsRead;
      totals.rowsWritten += cursor.rowsWritten;
    } catch {
      // It belongs to a request that is over, and can be asked nothing any more: its rows are not counted.
    }
  }
  for (const name of Object.keys(calls)) delete calls[name];
  return totals;
}

/** The same class of objects, counted. */
export const counted = (Class) =>
  class extends Class {
    constructor(ctx, env) {
      count(ctx.storage);
      super(ctx, env);
    }
  };

/** The same Worker, which also says what happened since it was last asked. */
export const withCounts = (worker) => ({
  fetch(request, ...rest) {
    if (new URL(request.url).pathname === "/counts") return Response.json(take());
    return worker.fetch(request, ...rest);
  },
});
