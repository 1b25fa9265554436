import { element } from "./dom.js";
import { IMAGE_TYPES } from "./picture.js";

/**
 * What a person or a tool gave: text as it is, and pictures.
 * @param {readonly import('../src/shared/messages.ts').ContentPart[]} content
 */
export function contentNodes(content) {
  return content.map((part) => {
    if (part.type === "text") return element("p", { class: "as-is", dir: "auto" }, part.text);
    if (!IMAGE_TYPES.includes(part.mediaType))
      return element("p", { class: "as-is" }, `[${part.mediaType}]`);
    return element("img", {
      class: "picture",
      src: `data:${part.mediaType};base64,${part.data}`,
      alt: "Attached image",
    });
  });
}
