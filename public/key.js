const NAME = "carrel.key";

/** The API key that this browser uses, if the deployment asks for one; kept on this device. */
export function storedKey() {
  try {
    return localStorage.getItem(NAME) ?? "";
  } catch {
    return "";
  }
}

/** Keeps a key, or with an empty one forgets it. @param {string} key */
export function keepKey(key) {
  try {
    if (key === "") localStorage.removeItem(NAME);
    else localStorage.setItem(NAME, key);
  } catch {
    // Forbidden: nothing is kept, and the next request asks again.
  }
}
