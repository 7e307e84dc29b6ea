/** Stands for a secret that the caller may not see. Sent back in an update, it leaves the secret as it is. */
export const secretMask = "********";
