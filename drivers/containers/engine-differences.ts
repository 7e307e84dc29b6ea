/** What the engine does in another way than Docker. The texts say why. */
export interface EngineDifferences {
  /** Default: on the loopback address. */
  readonly endpoint?: RegExp;
  /** Containers reach each other at the addresses of their endpoints, not at their names, and this is the end of a refused attempt. */
  readonly reachedByAddress?: RegExp;
  readonly noUserNames?: string;
  readonly noProcessLimits?: string;
  /** It neither measures storage nor reads, writes or copies its contents. */
  readonly noStorageContents?: string;
  /** Mode of the files of the identity, and whether they belong to the user of the app. Default: 400, and they do. */
  readonly identityFiles?: { readonly mode: string; readonly isOwn: boolean };
  /** Mode of the folder of a storage. Default: 700. */
  readonly storageMode?: string;
}
