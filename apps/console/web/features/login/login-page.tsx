import { Anchor } from "@mantine/core";
import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { signOut } from "../../api/sign-out.ts";
import { i18n } from "../../i18n.ts";
import type { FlowSearch } from "./addresses.ts";
import { MessageView } from "./flow-form.tsx";
import { FlowLink, FlowPage } from "./flow-page.tsx";
import { useOffers } from "./use-offers.ts";

/** `/login`: the first factor, the second one, or a proof that it is still the same user. */
export function LoginPage() {
  const { refresh }: FlowSearch = useSearch({ strict: false });
  return (
    <FlowPage
      kind="login"
      title={(flow) =>
        flow?.requested_aal === "aal2"
          ? i18n.t("Second factor")
          : refresh
            ? i18n.t("Confirm that it is you")
            : i18n.t("Sign in")
      }
      links={(flow, returnTo) => {
        if (flow === undefined) return undefined;
        return flow.requested_aal === "aal2" || refresh ? <Leave /> : <OtherPages returnTo={returnTo} />;
      }}
    />
  );
}

function OtherPages({ returnTo }: { readonly returnTo: string | undefined }) {
  const { registration, recovery } = useOffers();
  return (
    <>
      {registration && (
        <FlowLink kind="registration" returnTo={returnTo} flow={registration}>
          {i18n.t("Create an account")}
        </FlowLink>
      )}
      {recovery && (
        <FlowLink kind="recovery" returnTo={returnTo} flow={recovery}>
          {i18n.t("Forgot your password?")}
        </FlowLink>
      )}
    </>
  );
}

/** For a user without the second factor, who would otherwise be stuck between two pages. */
function Leave() {
  const [failure, setFailure] = useState<string>();
  const leave = (): void => {
    signOut().catch((error: unknown) =>
      setFailure(i18n.t("Signing out failed: {reason}", { reason: error instanceof Error ? error.message : error })),
    );
  };
  return (
    <>
      {failure && <MessageView message={{ type: "error", text: failure }} />}
      <Anchor component="button" type="button" size="sm" onClick={leave}>
        {i18n.t("Sign out")}
      </Anchor>
    </>
  );
}
