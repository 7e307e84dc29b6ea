/** One `@` with text on both sides, and no blanks. Whether an address exists only a letter to it can tell. */
const form = /^[^\s@]{1,64}@[^\s@]{1,190}$/u;

export function isEmail(text: string): boolean {
  return form.test(text);
}

/** Returns what two spellings of one address have in common. */
export function emailKey(email: string): string {
  return email.trim().normalize("NFC").toLowerCase();
}
