import { isRenewalDue } from "../../domain/workload-identity.ts";
import type { Repair } from "../repair-context.ts";

/**
 * Gives a container a new certificate in time, also one that is about to be started. Its key stays, so that connections and
 * signatures stay valid.
 */
export const renewIdentity: Repair = {
  name: "renew-identity",
  applies: ({ deployment, certificateEndsAt, now }) =>
    certificateEndsAt !== undefined &&
    isRenewalDue(certificateEndsAt, now) &&
    (deployment?.state !== "ASLEEP" || deployment.wakeRequestedAt !== undefined),
  apply: async ({ deployment, container }, { identities, runtime, writer, signal }) => {
    if (!deployment || !container) return;
    const renewal = await identities.renewal(deployment);
    if (!renewal) return;
    signal.throwIfAborted();
    // Stored last: after a kill in between it is renewed again.
    await runtime.writeFiles(container.name, renewal.files);
    await identities.renewed(writer, deployment, renewal.endsAt);
  },
};
