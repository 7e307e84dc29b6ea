/** Size of the bodies of the bench proxy-body. */
export const largeBytes: number = 10 * 1_024 * 1_024;
