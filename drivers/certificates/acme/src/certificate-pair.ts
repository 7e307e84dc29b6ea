/** A certificate with its chain, and its private key, as PEM texts. */
export interface CertificatePair {
  readonly cert: string;
  readonly key: string;
}
