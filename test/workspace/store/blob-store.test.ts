import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe } from "vitest";
import { blobStoreContract, manyKeysContract } from "../../contracts/blob-store-contract.ts";
import { blobStoreFaultContract } from "../../contracts/blob-store-fault-contract.ts";
import { createDiskStore } from "../../support/disk-store.ts";
import { createMemoryStore } from "../../support/memory-store.ts";

describe("memory behind the store's port", () => {
  const open = () => Promise.resolve(createMemoryStore());
  blobStoreContract(open, { isAtomic: true });
  blobStoreFaultContract(open, { isAtomic: true });
  manyKeysContract(open);
});

describe("a disk behind the store's port", () => {
  const directories: string[] = [];
  const open = async () => {
    const directory = await mkdtemp(join(tmpdir(), "carrel-store-"));
    directories.push(directory);
    return createDiskStore(directory);
  };
  afterAll(() => Promise.all(directories.map((it) => rm(it, { recursive: true, force: true }))));
  blobStoreContract(open, { isAtomic: true });
  blobStoreFaultContract(open, { isAtomic: true });
  manyKeysContract(open);
});
