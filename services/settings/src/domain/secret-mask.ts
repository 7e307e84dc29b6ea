/** Replaces a secret that the caller may not see. Sent back in an update, it keeps the secret. */
export const secretMask = "********";
