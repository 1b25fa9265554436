const NAME = "carrel.skills";

/** Whether the panel was open before a reload of this tab. */
export function wasOpen() {
  try {
    return sessionStorage.getItem(NAME) === "open";
  } catch {
    return false;
  }
}

/** @param {boolean} isOpen */
export function keepIsOpen(isOpen) {
  try {
    if (isOpen) sessionStorage.setItem(NAME, "open");
    else sessionStorage.removeItem(NAME);
  } catch {
    // Full or forbidden: it lasts as long as the page.
  }
}
