export interface MailMessage {
  readonly to: readonly MailAddress[];
  /** One line. */
  /** Without the name of the platform, which the driver puts before it. */
  readonly subject: string;
  /** Plain text. */
  readonly text: string;
  /** Names the message at every attempt, so that receivers can drop repetitions. Undefined: each attempt gets another name. */
  readonly id?: string;
}

export interface MailAddress {
  readonly name?: string;
  readonly address: string;
}

/** Sends mail in the platform's name. */
export interface Mail {
  /** Resolves when the server has taken the message for every address. Rejects otherwise: some addresses may have got it. */
  send(message: MailMessage): Promise<void>;
}
