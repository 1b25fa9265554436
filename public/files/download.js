/** Has the browser save bytes as a file. @param {Blob} blob @param {string} name */
export function download(blob, name) {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken the bytes by then; a click starts the download at once.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
