import { Readable } from "node:stream";
import { messageOf } from "@appserver/kernel";
import { Decrypter, Encrypter } from "age-encryption";
import { BackupError } from "./backup-error.ts";

/** What a backup is encrypted with. */
export type LockingKey = { readonly passphrase: string } | { readonly recipients: readonly string[] };

/** What a backup is decrypted with. */
export type UnlockingKey = { readonly passphrase: string } | { readonly identities: readonly string[] };

/** Encrypts a stream in the format of age (https://age-encryption.org/v1). Throws {@link BackupError} for a wrong recipient. */
export async function encrypt(contents: AsyncIterable<Uint8Array>, key: LockingKey): Promise<AsyncIterable<Uint8Array>> {
  const encrypter = new Encrypter();
  if ("passphrase" in key) encrypter.setPassphrase(key.passphrase);
  else for (const recipient of key.recipients) addRecipient(encrypter, recipient);
  return await encrypter.encrypt(webStream(contents));
}

function addRecipient(encrypter: Encrypter, recipient: string): void {
  try {
    encrypter.addRecipient(recipient);
  } catch (error) {
    throw new BackupError(`${JSON.stringify(recipient)} is no recipient of age: ${messageOf(error)}; expected age1….`);
  }
}

/** Rejects with {@link BackupError} for another key, and for a file that is not encrypted with age. What follows may be damaged. */
export async function decrypt(contents: AsyncIterable<Uint8Array>, key: UnlockingKey): Promise<AsyncIterable<Uint8Array>> {
  const decrypter = new Decrypter();
  if ("passphrase" in key) decrypter.addPassphrase(key.passphrase);
  else for (const identity of key.identities) decrypter.addIdentity(identity);
  try {
    return undamaged(await decrypter.decrypt(webStream(contents)));
  } catch (error) {
    if (isSystemError(error)) throw new BackupError(`The backup cannot be read: ${error.message}.`);
    const what = "passphrase" in key ? "the passphrase is another one" : "none of the identities is a recipient";
    throw new BackupError(`The backup cannot be decrypted: ${what}, or the file is no backup (${messageOf(error)}).`);
  }
}

/** Whether a file could not be read, for a cause outside of its contents. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error;
}

async function* undamaged(contents: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* contents;
  } catch (error) {
    throw new BackupError(`The backup is damaged or not complete: it cannot be decrypted to its end (${messageOf(error)}).`);
  }
}

function webStream(contents: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  return Readable.toWeb(Readable.from(contents, { objectMode: false })) as ReadableStream<Uint8Array>;
}
