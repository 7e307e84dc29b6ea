import { Group } from "@mantine/core";
import { useState } from "react";
import { type AccessRequest, decideAccessRequest } from "../api/access-requests.ts";
import { useViewer } from "../api/viewer.ts";
import type { AccessDecision } from "../generated/operations.ts";
import { BusyButton } from "./busy-button.tsx";
import { notify, notifyFailure } from "./notices.tsx";

/** Returns what a person asks for, as a sentence. */
export function requestText({ person, access, appDisplayName }: AccessRequest): string {
  return `${person.displayName ?? person.id} asks for ${access} of ${appDisplayName}`;
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
            decision === "GRANT" ? `${name} has ${access} of ${appDisplayName} now` : `The request of ${name} is declined`,
          ),
        notifyFailure(`The request of ${name} was not decided`),
      )
      .finally(() => setSent(undefined));
  };
  return (
    <Group gap="xs" wrap="nowrap">
      <BusyButton
        size="xs"
        loading={sent === "GRANT"}
        disabled={sent !== undefined}
        aria-label={`Grant ${access} of ${appDisplayName} to ${name}`}
        onClick={() => decide("GRANT")}
      >
        Grant
      </BusyButton>
      <BusyButton
        size="xs"
        variant="default"
        loading={sent === "DECLINE"}
        disabled={sent !== undefined}
        aria-label={`Decline ${access} of ${appDisplayName} for ${name}`}
        onClick={() => decide("DECLINE")}
      >
        Decline
      </BusyButton>
    </Group>
  );
}
