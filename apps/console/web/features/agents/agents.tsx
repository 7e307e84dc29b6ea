import { Group, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { i18n } from "../../i18n.ts";
import { Command } from "../../parts/command.tsx";
import { EndButton } from "../../parts/end-button.tsx";
import { FactTable, Section } from "../../parts/facts.tsx";
import { usePageTitle } from "../../parts/page-title.ts";
import { Empty, Failure, Loading } from "../../parts/states.tsx";
import { Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { type AgentConsent, agentConsentsQuery, revokeAgentConsent } from "./agent-queries.ts";

/** The programs that act for the person by a language model, and what each may do. */
export function Agents() {
  usePageTitle(i18n.t("Agents"));
  const { data: consents, error, refetch } = useQuery(agentConsentsQuery);
  if (error && consents === undefined) return <Failure error={error} retry={() => void refetch()} />;
  if (!consents) return <Loading />;
  return (
    <Stack>
      <Title order={1}>{i18n.t("Agents")}</Title>
      <Text c="dimmed">
        {i18n.t(
          "Programs with a language model that act for you: never with more than you may do, and each call is in the audit log.",
        )}
      </Text>
      {consents.length === 0 ? <NoConsents /> : consents.map((consent) => <Consent key={consent.id} consent={consent} />)}
    </Stack>
  );
}

function NoConsents() {
  return (
    <Empty title={i18n.t("No program acts for you")}>
      <Stack gap="xs">
        {i18n.t("Add this address to a program that speaks the Model Context Protocol, and sign in there:")}
        <Command>{`${location.origin}/mcp`}</Command>
      </Stack>
    </Empty>
  );
}

function Consent({ consent }: { readonly consent: AgentConsent }) {
  const { id, clientId, clientName, apps, isReadOnly, createdAt, expiresAt, usedAt } = consent;
  return (
    <Section title={clientName}>
      <Stack gap="sm">
        <Group gap="xs">
          <Status>{isReadOnly ? i18n.t("reads only") : i18n.t("reads and changes")}</Status>
        </Group>
        <FactTable
          facts={[
            [i18n.t("Where"), apps ? apps.join(", ") : i18n.t("All apps, and the platform")],
            [i18n.t("Program"), clientId],
            [i18n.t("Allowed"), <Time key="created" at={createdAt} />],
            [i18n.t("Ends"), <Time key="ends" at={expiresAt} />],
            [i18n.t("Last used"), usedAt ? <Time key="used" at={usedAt} /> : i18n.t("never used")],
          ]}
        />
        <Group gap="xs">
          <EndButton
            label={i18n.t("Take back")}
            name={i18n.t("Take back from {clientName}", { clientName })}
            warning={i18n.t("{clientName} can do nothing more for you, at once. What it has read it keeps.", { clientName })}
            onEnd={() => revokeAgentConsent(id)}
          />
        </Group>
      </Stack>
    </Section>
  );
}
