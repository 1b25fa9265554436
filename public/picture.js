/** @typedef {{ mediaType: string, data: string, name: string }} Picture `data` is base64. */

/** Pictures that the server takes, and that are shown; nothing else becomes an address that the browser opens. */
export const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** Longest side in pixels and quality of what is tried for a picture that is too large. */
const SMALLER = [
  { side: 2_000, quality: 0.85 },
  { side: 1_400, quality: 0.8 },
  { side: 900, quality: 0.7 },
];

/**
 * A picture ready to be sent, made smaller if it has to be. Throws an `Error` for the person otherwise.
 * @param {File} file
 * @param {number} room How much base64 there is room for.
 * @returns {Promise<Picture>}
 */
export async function readPicture(file, room) {
  const { name, type: mediaType } = file;
  if (!IMAGE_TYPES.includes(mediaType)) {
    throw new Error("Only PNG, JPEG, GIF and WebP pictures can be attached.");
  }
  if (base64Length(file) <= room) return { mediaType, name, data: await toBase64(file) };
  for (const size of SMALLER) {
    const smaller = await shrink(file, size).catch(() => null);
    if (smaller && base64Length(smaller) <= room) {
      return { mediaType: smaller.type, name, data: await toBase64(smaller) };
    }
  }
  throw new Error(`“${name}” is too large: the pictures of a message may have 1 MB together.`);
}

/** @param {Blob} blob */
const base64Length = (blob) => Math.ceil(blob.size / 3) * 4;

/**
 * @param {File} file
 * @param {{ side: number, quality: number }} size
 * @returns {Promise<Blob | null>}
 */
async function shrink(file, { side, quality }) {
  const bitmap = await createImageBitmap(file);
  const scale = Math.min(1, side / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  const context = canvas.getContext("2d");
  if (!context) return null;
  // JPEG has no transparency; unpainted it would be black.
  context.fillStyle = "white";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  return new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", quality));
}

/** @param {Blob} blob @returns {Promise<string>} */
function toBase64(blob) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () =>
      resolve(typeof reader.result === "string" ? reader.result.replace(/^[^,]*,/, "") : ""),
    );
    reader.addEventListener("error", () => reject(new Error("The picture could not be read.")));
    reader.readAsDataURL(blob);
  });
}
