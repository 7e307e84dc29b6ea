import { X509Certificate } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createFile, replaceFile } from "@appserver/kernel/files";
import type { CertificatePair } from "./certificate-pair.ts";

const keyBlock = /-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]+-----END [A-Z ]*PRIVATE KEY-----\n?/;

/**
 * The certificate of the platform and the key of its account, in files that only their owner may read. `pair.pem` has certificate and
 * key, and is replaced as a whole; the two files that servers read are written from it, so that a kill between them is repaired by the
 * next start.
 */
export class CertificateFolder {
  readonly certificateFile: string;
  readonly keyFile: string;
  readonly #pairFile: string;
  readonly #accountFile: string;
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.certificateFile = join(folder, "certificate.pem");
    this.keyFile = join(folder, "key.pem");
    this.#pairFile = join(folder, "pair.pem");
    this.#accountFile = join(folder, "account.pem");
  }

  /** Makes the folder and the files that servers read. `make` returns the first certificate. */
  async prepare(make: () => Promise<CertificatePair>): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const stored = await this.#stored();
    if (stored) await this.#show(stored);
    else await this.replace(await make());
  }

  /** Returns the certificate in use. */
  async read(): Promise<X509Certificate> {
    return new X509Certificate(await readFile(this.certificateFile));
  }

  async replace(pair: CertificatePair): Promise<void> {
    await replaceFile(this.#pairFile, `${pair.key.trimEnd()}\n${pair.cert}`);
    await this.#show(pair);
  }

  /** Returns the key of the account. `make` returns it once, and it is stored before it is used. */
  async accountKey(make: () => Promise<string>): Promise<string> {
    const stored = await textOf(this.#accountFile);
    if (stored !== undefined) return stored;
    await createFile(this.#accountFile, await make());
    return await readFile(this.#accountFile, "utf8");
  }

  async #show({ cert, key }: CertificatePair): Promise<void> {
    await replaceFile(this.keyFile, key);
    await replaceFile(this.certificateFile, cert);
  }

  async #stored(): Promise<CertificatePair | undefined> {
    const text = await textOf(this.#pairFile);
    const [key] = keyBlock.exec(text ?? "") ?? [];
    return text === undefined || key === undefined ? undefined : { key, cert: text.replace(key, "").trimStart() };
  }
}

async function textOf(file: string): Promise<string | undefined> {
  return await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
}
