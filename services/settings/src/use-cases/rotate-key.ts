import { auditEntry, messageOf } from "@appserver/kernel";
import type { SealedRow, SettingsStore, UnreadableSecret } from "../ports.ts";
import type { ValueVault } from "./value-vault.ts";

export interface RotationOptions {
  /** The requester, for the audit log. */
  readonly actor: string;
  /** Number of values per transaction. Default 500. */
  readonly batchSize?: number;
  readonly signal?: AbortSignal;
  /** Called after each batch with the number of values encrypted again so far. */
  readonly onProgress?: (rotated: number) => void;
}

export interface RotationReport {
  /** The id of the newest key. */
  readonly keyId: string;
  readonly rotated: number;
  /** Values that could not be decrypted. They are not changed. */
  readonly unreadable: readonly UnreadableSecret[];
}

/**
 * Encrypts with the newest key every value that another key encrypted, in batches, while other processes read and write. A
 * value that is written during the rotation keeps the new content. Afterwards, older keys are needed only for the values that
 * the report lists as unreadable. The rotation can be aborted and run again.
 */
export async function rotateKey(
  context: { readonly store: SettingsStore; readonly vault: ValueVault },
  options: RotationOptions,
): Promise<RotationReport> {
  const { batchSize = 500, signal, onProgress } = options;
  const keyId = await context.vault.newestKeyId();
  const unreadable: UnreadableSecret[] = [];
  let rotated = 0;
  let last: SealedRow | undefined;
  for (;;) {
    signal?.throwIfAborted();
    const rows = await context.store.sealedOtherwise(keyId, last, batchSize);
    if (rows.length === 0) break;
    last = rows.at(-1);
    const moved: (SealedRow & { next: string })[] = [];
    for (const row of rows) {
      try {
        moved.push({ ...row, next: await context.vault.reseal(row.appId, row.key, row.text) });
      } catch (error) {
        unreadable.push({ owner: row.appId, name: row.key, problem: messageOf(error) });
      }
    }
    rotated += await context.store.reseal(moved);
    onProgress?.(rotated);
  }
  const details = { keyId, rotated, unreadable: unreadable.length };
  await context.store.audit(auditEntry(options, { action: "settings.rotate_key", target: "settings", details }));
  return { keyId, rotated, unreadable };
}
