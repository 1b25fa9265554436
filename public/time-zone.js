const NAME = /^[A-Za-z][A-Za-z0-9+_/-]{0,63}$/;

/**
 * The part of a turn's body that says where the person is, so that "today" is their day; nothing where the browser does
 * not know.
 * @param {string} [zone] Default: the browser's.
 * @returns {{ timeZone?: string }}
 */
export function placeInTime(zone = browserZone()) {
  return zone !== undefined && isZone(zone) ? { timeZone: zone } : {};
}

/** @returns {string | undefined} */
function browserZone() {
  try {
    return new Intl.DateTimeFormat().resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/** @param {string} zone */
function isZone(zone) {
  if (!NAME.test(zone) || zone === "Etc/Unknown") return false;
  try {
    return Boolean(new Intl.DateTimeFormat("en", { timeZone: zone }));
  } catch {
    return false;
  }
}
