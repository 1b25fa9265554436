import { CarrelError, invalid } from "../../shared/errors.ts";
import { sha256Hex } from "../../shared/sha256.ts";
import { utf8Length } from "../../shared/text.ts";
import { pieceOfLower, type Piece } from "./content.ts";
import type { Contents } from "../contents/contents.ts";
import type { LayerFile, Layers } from "../layers/layers.ts";
import type { BucketLimits } from "../limits.ts";
import type { LogPiece } from "../import/log-beginning.ts";
import type { OverlayEntry } from "../layers/overlay.ts";
import type { FileRow, VersionRow } from "../rows.ts";

/** Content that can be written down at once: text, or a blob that the store holds. */
export type Supply =
  | { readonly type: "text"; readonly text: string; readonly size: number; readonly sha256: string }
  | { readonly type: "blob"; readonly size: number; readonly sha256: string };

/** In place of an earlier text that the tables or the store have lost, or that is not what was written. */
export const LOST = Symbol("lost");

/** What a request may have fetched or put: the platform allows it 1,000 calls, and some of these are two. */
const MAX_CALLS = 500;

/** A change cannot be planned before something was fetched. Never leaves `applyChanges`. */
export class NotYet extends Error {
  override name = "NotYet";
}

/**
 * What plans need and only an await can give: bodies of lower layers and of the store, digests, blobs put. A plan asks
 * and hears `null` or a blank digest; `bring` gets all that was asked for; then the plan is made again from the
 * start. Things are known by what they are, so that none is used for a file that has changed meanwhile.
 */
export class Supplies {
  readonly #from: { contents: Contents; layers: Layers; limits: BucketLimits };
  readonly #texts = new Map<string, string>();
  readonly #earlier = new Map<string, string | typeof LOST>();
  readonly #pieces = new Map<string, Supply>();
  readonly #same = new Map<string, number>();
  readonly #digests = new Map<string, string>();
  readonly #blobs = new Map<Uint8Array, string>();
  readonly #wanted = new Map<unknown, { calls: number; get: () => Promise<void> }>();
  #calls = 0;

  constructor(from: { contents: Contents; layers: Layers; limits: BucketLimits }) {
    this.#from = from;
  }

  /** Whether plans asked for what was not there. */
  get isWanting(): boolean {
    return this.#wanted.size > 0;
  }

  /** A file of a lower layer. */
  lower(entry: OverlayEntry<LayerFile>): Supply | null {
    const { path, layer, file } = entry;
    const key = `${layer} ${file.etag} ${path}`;
    const calls = (layer === "template" ? 0 : 1) + (file.type === "blob" ? 1 : 0);
    return this.#get(this.#pieces, key, calls, async () => {
      const content = await this.#from.layers.content(entry);
      return this.#stored(pieceOfLower(path, content, this.#from.limits));
    });
  }

  /** The whole text of an own file; what is not text is the caller's bug. */
  text(row: FileRow): string | null {
    const here = this.#from.contents.textHere(row);
    if (here !== null) return here;
    return this.#get(this.#texts, `own ${row.version} ${row.path}`, 1, () => this.#read(row));
  }

  /** The whole text of an own file that is to be an earlier version. */
  earlierText(row: FileRow): string | typeof LOST | null {
    try {
      const here = this.#from.contents.textHere(row);
      if (here !== null) return here;
    } catch (error) {
      // Read once more below, where it is told.
      if (error instanceof CarrelError) throw error;
    }
    return this.#get(this.#earlier, `${row.version} ${row.path}`, 1, async () => {
      try {
        return await this.#read(row);
      } catch (error) {
        if (error instanceof CarrelError) throw error;
        return LOST;
      }
    });
  }

  /** The text of an earlier version. */
  versionText(row: VersionRow): string | null {
    return this.#get(this.#texts, `version ${row.version} ${row.path}`, 1, async () =>
      textIn(await this.#from.contents.readVersion(row), row),
    );
  }

  /** How many bytes of an own log and of these pieces of one are the same, from the first one on. */
  sameBeginning(row: FileRow, pieces: readonly LogPiece[]): number | null {
    const { contents } = this.#from;
    return this.#get(this.#same, `${row.version} ${row.path}`, 2, () =>
      contents.sameBeginning(row, pieces),
    );
  }

  /** The digest of a text; blank until it was fetched. */
  digest(text: string): string {
    return this.#get(this.#digests, text, 0, () => digestOf(text)) ?? "";
  }

  /** What was sent, with its blob in the store once fetched; before that its digest is blank. */
  sent(piece: Piece): Supply {
    if (piece.type === "text") return { ...piece, sha256: this.digest(piece.text) };
    const put = () => this.#from.contents.putBlob(piece.bytes);
    const sha256 = this.#get(this.#blobs, piece.bytes, 1, put) ?? "";
    return { type: "blob", size: piece.size, sha256 };
  }

  /**
   * Gets all that was asked for. A file that changed while it was read is left for the next plan to ask for. Throws
   * `CarrelError('invalid')` when that takes too many calls, and then makes none.
   */
  async bring(): Promise<void> {
    const wanted = [...this.#wanted.values()];
    this.#wanted.clear();
    for (const { calls } of wanted) this.#calls += calls;
    if (this.#calls > MAX_CALLS)
      throw invalid(
        `At most ${MAX_CALLS} files can be fetched or put for one request, and this one needs more. Change fewer at a time.`,
      );
    for (const { get } of wanted) {
      try {
        await get();
      } catch (error) {
        if (!(error instanceof CarrelError && error.code === "conflict")) throw error;
      }
    }
  }

  #get<Key, Value>(
    have: Map<Key, Value>,
    key: Key,
    calls: number,
    fetch: () => Promise<Value>,
  ): Value | null {
    const known = have.get(key);
    if (known !== undefined) return known;
    const get = async () => void have.set(key, await fetch());
    this.#wanted.set(key, { calls, get });
    return null;
  }

  async #read(row: FileRow): Promise<string> {
    return textIn(await this.#from.contents.read(row), row);
  }

  async #stored(piece: Piece): Promise<Supply> {
    if (piece.type === "text") return { ...piece, sha256: await digestOf(piece.text) };
    const sha256 = await this.#from.contents.putBlob(piece.bytes);
    return { type: "blob", size: piece.size, sha256 };
  }
}

/** The digest of a text as UTF-8. */
export const digestOf = (text: string): Promise<string> =>
  sha256Hex(new TextEncoder().encode(text));

function textIn(
  content: { text: string } | { bytes: Uint8Array },
  row: VersionRow | FileRow,
): string {
  if ("text" in content && utf8Length(content.text) === row.size) return content.text;
  throw new Error(`the stored text of ${row.path} is not what was written`);
}
