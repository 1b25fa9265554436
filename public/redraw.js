/**
 * Draws anew; the focus and what was unfolded stay where they were: at what has the same `data-key` in the same
 * `data-item`.
 * @param {HTMLElement} root
 * @param {() => void} draw
 * @param {() => void} lost Takes the focus when that is not there any more.
 */
export function redraw(root, draw, lost) {
  const focused = document.activeElement;
  const hadFocus = focused !== null && root.contains(focused);
  const place = hadFocus ? placeOf(focused) : null;
  const unfolded = new Set(
    [...root.querySelectorAll("details[open] > summary[data-key]")].map(placeOf),
  );
  draw();
  for (const summary of root.querySelectorAll("details > summary[data-key]"))
    if (unfolded.has(placeOf(summary))) summary.parentElement?.setAttribute("open", "");
  if (!hadFocus || focused === document.activeElement) return;
  const same = [...root.querySelectorAll("[data-key]")].find(
    (node) => place !== null && placeOf(node) === place,
  );
  if (same instanceof HTMLElement) same.focus();
  else lost();
}

/** @param {Element} node */
function placeOf(node) {
  const key = node.getAttribute("data-key");
  const item = node.closest("[data-item]")?.getAttribute("data-item") ?? "";
  return key === null ? null : `${item} ${key}`;
}
