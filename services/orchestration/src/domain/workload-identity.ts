import type { KeyObject } from "node:crypto";

/** How long a certificate of a deployment is valid (docs/interface/containers.md#identity). */
export const certificateLifeMs = 24 * 3_600_000;
/** A certificate is renewed when it is this old. */
const renewedAfterMs = 16 * 3_600_000;

/** Returns whether a certificate that ends at this time is to be renewed. */
export function isRenewalDue(certificateEndsAt: Date, now: number): boolean {
  return certificateEndsAt.getTime() - now <= certificateLifeMs - renewedAfterMs;
}

/** Names of the files of an identity. Apps find them in `/run/appserver`, or in the folder of `APP_IDENTITY_DIR`. */
export const identityFiles = {
  key: "key.pem",
  certificate: "certificate.pem",
  authority: "platform-ca.pem",
  forwardSecret: "forward-secret",
} as const;

/** The generation of an app that an identity belongs to. */
export interface IdentityOwner {
  readonly appId: string;
  readonly appName: string;
  readonly generation: number;
}

/** A stored identity as servers use it: the private key exists only in the container. */
export interface IssuedIdentity extends IdentityOwner {
  readonly publicKey: KeyObject;
  readonly certificateEndsAt: Date;
  readonly forwardKey: KeyObject;
}
