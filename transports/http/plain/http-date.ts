let [text, second] = ["", 0];

/** Returns the time as HTTP dates have it. It is formatted once a second. */
export function httpDate(): string {
  const now = Math.floor(Date.now() / 1_000);
  if (now !== second) {
    second = now;
    text = new Date().toUTCString();
  }
  return text;
}
