import { type Clock, every, type Logger, singleFlight } from "@appserver/kernel";
import type { Mail } from "@appserver/kernel/ports";
import type { AccountsDatabase } from "../accounts-database.ts";
import { type LinkPurpose, linkTable } from "../people/link-table.ts";
import { letterTable, type WaitingLetter } from "./letter-table.ts";

export interface LettersDeps {
  readonly mail: Mail;
  /** The platform's URL for browsers. Not that of a request, whose sender could choose it. */
  readonly ownUrl: string;
  readonly database: AccountsDatabase;
  readonly clock: Clock;
  readonly logger: Logger;
}

const lookIntervalMs = 15_000;
const recoveryMs = 3_600_000;

const texts: Readonly<Record<LinkPurpose, { readonly subject: string; readonly reason: string }>> = {
  recovery: {
    subject: "Set a new password",
    reason: "A new password was asked for your account. If you did not ask, ignore this letter: nothing has changed.",
  },
  invitation: {
    subject: "You are invited",
    reason: "You are invited to this platform. If you do not know why, ignore this letter.",
  },
};

/** Sends the letters that wait in the database. Any server sends any letter. */
export class Letters {
  readonly #deps: LettersDeps;
  readonly #stopped = new AbortController();
  readonly #sendWaiting = singleFlight(() => this.#sendAll());

  constructor(deps: LettersDeps) {
    this.#deps = deps;
  }

  start(): void {
    const { clock, logger } = this.#deps;
    void every({
      clock,
      signal: this.#stopped.signal,
      intervalMs: lookIntervalMs,
      first: "at once",
      run: () => this.#sendWaiting(),
      onError: (error) => logger.warn({ err: error }, "accounts: could not send a letter; retrying"),
    });
  }

  stop(): void {
    this.#stopped.abort();
  }

  /** Stores a letter with a link to a new password. Returns before it is sent, whether or not an account has the address. */
  async write(email: string): Promise<void> {
    await letterTable.addRecovery(this.#deps.database, email);
    this.send();
  }

  /** Sends the letters that wait. Returns before. */
  send(): void {
    this.#sendWaiting().catch((error: unknown) => {
      this.#deps.logger.warn({ err: error }, "accounts: could not send a letter; retrying");
    });
  }

  async #sendAll(): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      const letter = await letterTable.claim(this.#deps.database);
      if (!letter) return;
      await this.#send(letter);
      await letterTable.delete(this.#deps.database, letter.id);
    }
  }

  async #send({ purpose, personId, createdBy, email, name, leftMs }: WaitingLetter): Promise<void> {
    const { database, mail, ownUrl } = this.#deps;
    const { path, endsAt } = await database.transaction(async (tx) => {
      await linkTable.deleteAll(tx, purpose, personId);
      return await linkTable.make(tx, { purpose, personId, createdBy, validMs: leftMs ?? recoveryMs });
    });
    const until = `${endsAt.toISOString().slice(0, 16).replace("T", " ")} UTC`;
    const link = new URL(path, ownUrl).href;
    const { subject, reason } = texts[purpose];
    const hello = name === "" ? "Hello," : `Hello ${name},`;
    const text = [hello, reason, `Open this link. It works once, until ${until}:`, link].join("\n\n");
    await mail.send({ to: [{ address: email }], subject, text });
  }
}
