/** An error whose message is sent to the caller. Any other error of a handler is printed and causes a 500 response. */
export class HttpError extends Error {
  override readonly name = "HttpError";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
