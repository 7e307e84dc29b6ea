import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { SMTPServer } from "smtp-server";

/** An SMTP server that keeps what it gets. */
export class MailServer {
  readonly letters: string[] = [];
  /** Refuses letters. */
  isOut = false;
  /** How many it has refused. */
  refused = 0;
  readonly #server: SMTPServer;

  private constructor(Server: typeof SMTPServer) {
    this.#server = new Server({
      authOptional: false,
      // Tests have no certificate.
      allowInsecureAuth: true,
      disabledCommands: ["STARTTLS"],
      onAuth: ({ username, password }, _session, callback) => {
        const isKnown = username === "platform" && password === "p@ss";
        callback(isKnown ? null : new Error("unknown"), isKnown ? { user: username } : undefined);
      },
      onData: (stream, _session, callback) => {
        void text(stream).then((letter) => {
          if (this.isOut) this.refused += 1;
          else this.letters.push(letter);
          callback(this.isOut ? new Error("try again later") : null);
        });
      },
    });
  }

  static async start(): Promise<MailServer> {
    // Loaded at the first use: most tests need none.
    const { SMTPServer } = await import("smtp-server");
    const started = new MailServer(SMTPServer);
    await once(started.#server.listen(0, "127.0.0.1"), "listening");
    return started;
  }

  get url(): string {
    return `smtp://platform:p%40ss@127.0.0.1:${(this.#server.server.address() as AddressInfo).port}`;
  }

  /** Returns the links in the letters to an address, the newest last. */
  linksTo(address: string): readonly string[] {
    const own = this.letters.filter((letter) => new RegExp(`^To: .*${address}`, "mi").test(letter));
    return own.map((letter) => /^http:\S+/m.exec(decoded(letter))?.[0] ?? "");
  }

  stop(): Promise<void> {
    return new Promise((resolve) => this.#server.close(resolve));
  }
}

/** Returns a letter without its quotation (RFC 2045, section 6.7). */
function decoded(letter: string): string {
  const whole = letter.replaceAll(/=\r?\n/g, "");
  return whole.replaceAll(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
