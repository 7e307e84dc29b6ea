import type { Component } from "@appserver/kernel";
import type { Mail, MailMessage } from "@appserver/kernel/ports";
import type { Transporter } from "nodemailer";

export interface SmtpMailOptions {
  /** `smtp://user:password@host:port`; `smtps:` for TLS from the first byte. */
  readonly url: string;
  /** Address of the sender, perhaps with a name: `Appserver <appserver@example.com>`. */
  readonly from: string;
  /** Stands in brackets before each subject. */
  readonly platformName: string;
}

const timeoutMs = 10_000;

/** Sends mail by SMTP. Connects at the first message. */
export class SmtpMail implements Mail, Component {
  readonly name = "mail";
  readonly #options: SmtpMailOptions;
  #transport: Promise<Transporter> | undefined;

  constructor(options: SmtpMailOptions) {
    this.#options = options;
  }

  async send({ to, subject, text, id }: MailMessage): Promise<void> {
    const { url, from, platformName } = this.#options;
    this.#transport ??= openTransport(url);
    const transport = await this.#transport;
    const sent = await transport.sendMail({
      from,
      to: to.map(({ name = "", address }) => ({ name, address })),
      subject: `[${platformName}] ${subject}`,
      text,
      ...(id !== undefined && { messageId: `<${id}@${domainOf(from)}>` }),
    });
    const [refused] = sent.rejected ?? [];
    if (refused !== undefined) throw new Error(`the mail server refused the address ${String(refused)}`);
  }

  async stop(): Promise<void> {
    (await this.#transport)?.close();
  }
}

function domainOf(from: string): string {
  return from.slice(from.lastIndexOf("@") + 1).replace(/>$/, "");
}

async function openTransport(url: string): Promise<Transporter> {
  const { createTransport } = await import("nodemailer");
  const { protocol, hostname, port, username, password } = new URL(url);
  const secure = protocol === "smtps:";
  return createTransport({
    host: hostname,
    port: port === "" ? (secure ? 465 : 587) : Number(port),
    secure,
    ...(username !== "" && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    // No field of a message names a file or a URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}
