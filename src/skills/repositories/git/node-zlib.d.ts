/** What workerd has of Node's zlib and we use: the types of the platform leave it out. */
declare module "node:zlib" {
  export function inflateSync(
    bytes: Uint8Array,
    options: { readonly maxOutputLength: number; readonly info: boolean },
  ): unknown;
}
