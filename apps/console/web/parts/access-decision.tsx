import { Group } from "@mantine/core";
import { useState } from "react";
import { type AccessRequest, decideAccessRequest } from "../api/access-requests.ts";
import { useViewer } from "../api/viewer.ts";
import type { AccessDecision } from "../generated/operations.ts";
import { i18n } from "../i18n.ts";
import { BusyButton } from "./busy-button.tsx";
import { notify, notifyFailure } from "./notices.tsx";

/** Returns what a person asks for, as a sentence. */
export function requestText({ person, access, appDisplayName }: AccessRequest): string {
  return i18n.t("{name} asks for {access} of {appDisplayName}", {
    name: person.displayName ?? person.id,
    access,
    appDisplayName,
  });
}

/** The buttons that grant or decline a request. Nothing for viewers who may not. */
export function AccessDecisionButtons({ request }: { readonly request: AccessRequest }) {
  const { permissions } = useViewer();
  const [sent, setSent] = useState<AccessDecision>();
  if (!permissions.includes("access:manage")) return null;
  const { id, person, access, appDisplayName } = request;
  const name = person.displayName ?? person.id;
  const decide = (decision: AccessDecision): void => {
    setSent(decision);
    decideAccessRequest(id, decision)
      .then(
        () =>
          notify(
            decision === "GRANT"
              ? i18n.t("{name} has {access} of {appDisplayName} now", { name, access, appDisplayName })
              : i18n.t("The request of {name} is declined", { name }),
          ),
        notifyFailure(i18n.t("The request of {name} was not decided", { name })),
      )
      .finally(() => setSent(undefined));
  };
  return (
    <Group gap="xs" wrap="nowrap">
      <BusyButton
        size="xs"
        loading={sent === "GRANT"}
        disabled={sent !== undefined}
        aria-label={i18n.t("Grant {access} of {appDisplayName} to {name}", { access, appDisplayName, name })}
        onClick={() => decide("GRANT")}
      >
        {i18n.t("Grant")}
      </BusyButton>
      <BusyButton
        size="xs"
        variant="default"
        loading={sent === "DECLINE"}
        disabled={sent !== undefined}
        aria-label={i18n.t("Decline {access} of {appDisplayName} for {name}", { access, appDisplayName, name })}
        onClick={() => decide("DECLINE")}
      >
        {i18n.t("Decline")}
      </BusyButton>
    </Group>
  );
}
