import { useEffect, useState } from "react";
import { begin } from "./self-service.ts";

/** The ids of flows that a person without an account or a password can continue with. Undefined where Kratos has them off. */
export interface Offers {
  readonly registration?: string | undefined;
  readonly recovery?: string | undefined;
}

/**
 * Begins the flows to which the login page links, because Kratos only says then whether they are on. Use it when the login flow is
 * there: Kratos sets its cookie with the first flow of a browser, and two first ones would overwrite each other's.
 */
export function useOffers(): Offers {
  const [offers, setOffers] = useState<Offers>({});
  useEffect(() => {
    let isCurrent = true;
    for (const kind of ["registration", "recovery"] as const) {
      begin(kind, {}).then(
        (step) => isCurrent && step.kind === "flow" && setOffers((before) => ({ ...before, [kind]: step.flow.id })),
        () => {},
      );
    }
    return () => {
      isCurrent = false;
    };
  }, []);
  return offers;
}
