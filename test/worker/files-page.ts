import type { TreeAnswer } from "../../src/shared/workspace-api.ts";

/** A page of a workspace's tree. Throws when the answer is not one. */
export async function treeOf(response: Response): Promise<TreeAnswer> {
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return await response.json();
}

export const namesOf = (tree: TreeAnswer): string[] => tree.entries.map(({ path }) => path);

/** The bytes of all chunks in one piece. */
export function concat(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
