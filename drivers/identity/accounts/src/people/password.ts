import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { AppError } from "@appserver/kernel";

interface Cost {
  /** Binary logarithm of the number of rounds. */
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

/** About 0.2 s of one core and 32 MiB, as OWASP recommends. */
const cost: Cost = { ln: 15, r: 8, p: 3 };
/** Of requests whose hash has not begun. Each waits a few seconds at most. */
const maxWaiting = 24;
const saltBytes = 16;
const keyBytes = 32;
/** Longer ones are refused before they cost anything. */
export const maxPasswordLength = 256;
const minPasswordLength = 12;

const stored = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w+/]+)\$([\w+/]+)$/;
/** Of no password. */
const nobodys = encoded(cost, Buffer.alloc(saltBytes), Buffer.alloc(keyBytes));

/** Hashes passwords by scrypt, in the form `$scrypt$ln=15,r=8,p=3$salt$key`, few at a time: files and names wait for the same threads. */
export class Passwords {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(atOnce = 2) {
    this.#free = atOnce;
  }

  async hash(password: string): Promise<string> {
    const salt = randomBytes(saltBytes);
    return encoded(cost, salt, await this.#derive(password, salt, cost));
  }

  /** Returns whether the hash is that of the password. Without a hash it costs the same, and returns false. */
  async matches(password: string, hash: string | undefined): Promise<boolean> {
    const parts = stored.exec(hash ?? nobodys);
    if (!parts) throw new Error("a stored password has another form");
    const [ln = 0, r = 0, p = 0] = parts.slice(1, 4).map(Number);
    const [salt, key] = [Buffer.from(parts[4] ?? "", "base64"), Buffer.from(parts[5] ?? "", "base64")];
    const derived = await this.#derive(password, salt, { ln, r, p });
    return derived.length === key.length && timingSafeEqual(derived, key) && hash !== undefined;
  }

  /** The same text has several forms in Unicode, and keyboards differ. */
  async #derive(password: string, salt: Buffer, { ln, r, p }: Cost): Promise<Buffer> {
    await this.#enter();
    try {
      const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
      const options = { N: 2 ** ln, r, p, maxmem: 2 ** ln * r * 256 };
      scrypt(password.normalize("NFKC"), salt, keyBytes, options, (error, key) => (error ? reject(error) : resolve(key)));
      return await promise;
    } finally {
      this.#leave();
    }
  }

  async #enter(): Promise<void> {
    if (this.#free > 0) this.#free -= 1;
    else if (this.#waiting.length >= maxWaiting) throw busy();
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free += 1;
  }
}

function busy(): AppError {
  return new AppError("RATE_LIMIT_EXCEEDED", "too many people sign in at the moment", { details: { retry_after: 2 } });
}

function encoded({ ln, r, p }: Cost, salt: Buffer, key: Buffer): string {
  return `$scrypt$ln=${ln},r=${r},p=${p}$${base64(salt)}$${base64(key)}`;
}

function base64(bytes: Buffer): string {
  return bytes.toString("base64").replaceAll("=", "");
}

/** Returns what is wrong with a new password, as a sentence. Length is what counts. */
export function passwordProblem(password: string, email: string): string | undefined {
  if (password.length < minPasswordLength) return `A password has at least ${minPasswordLength} characters.`;
  if (password.length > maxPasswordLength) return `A password has at most ${maxPasswordLength} characters.`;
  if (new Set(password).size < 5) return "A password has at least 5 different characters.";
  const [name = ""] = email.split("@");
  const isName = [email, name].some((each) => each !== "" && password.toLowerCase() === each.toLowerCase());
  return isName ? "Your address is no password." : undefined;
}
