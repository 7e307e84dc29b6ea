import { Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useViewer } from "../../api/viewer.ts";
import { i18n, locale } from "../../i18n.ts";
import { BusyButton } from "../../parts/busy-button.tsx";
import { type Command, useCommand } from "../../parts/dialog.tsx";
import { download } from "../../parts/download.ts";
import { EndButton } from "../../parts/end-button.tsx";
import { Section } from "../../parts/facts.tsx";
import { Status } from "../../parts/status.tsx";
import { type PersonAccount, personQuery, records, removePerson, setActive } from "./access-queries.ts";

interface AccountProps {
  readonly id: string;
  readonly name: string;
}

const states: Readonly<Record<PersonAccount["state"], string>> = {
  ACTIVE: i18n.t("Active"),
  DISABLED: i18n.t("Disabled"),
  INVITED: i18n.t("Invited"),
};

/** The account of a person, if the platform makes accounts, and what administrators do with it. */
export function PersonAccountSection({ id, name }: AccountProps) {
  const { permissions } = useViewer();
  const { data: account } = useQuery(personQuery(id));
  if (!account) return null;
  return (
    <Section title={i18n.t("Account")}>
      <Group justify="space-between">
        <Group gap="xs">
          <Status>{states[account.state]}</Status>
          <Text c="dimmed">{i18n.t("since {day}", { day: new Date(account.createdAt).toLocaleDateString(locale) })}</Text>
        </Group>
        {permissions.includes("access:manage") && <Commands account={account} name={name} />}
      </Group>
    </Section>
  );
}

function Commands({ account: { id, state }, name }: { readonly account: PersonAccount; readonly name: string }) {
  return (
    <Group gap="xs">
      {state === "ACTIVE" && (
        <EndButton
          label={i18n.t("Disable")}
          name={i18n.t("Disable {name}", { name })}
          warning={i18n.t("All sessions end within a second. Permissions stay for when the account is enabled again.")}
          onEnd={() => setActive(id, false)}
        />
      )}
      {state === "DISABLED" && <EnableButton id={id} />}
      <ExportButton id={id} />
      <EndButton
        label={i18n.t("Remove")}
        name={i18n.t("Remove {name}", { name })}
        warning={i18n.t(
          "The account and all that the person was given are deleted for good. The audit log keeps the id, without a name.",
        )}
        onEnd={() => removePerson(id)}
      />
    </Group>
  );
}

function EnableButton({ id }: { readonly id: string }) {
  const command = useCommand(() => setActive(id, true));
  return <CommandButton command={command} label={i18n.t("Enable")} />;
}

function ExportButton({ id }: { readonly id: string }) {
  const command = useCommand(async () => {
    const text = JSON.stringify(await records(id), undefined, 2);
    download(`${id.replace(":", "-")}.json`, "application/json", text);
  });
  return <CommandButton command={command} label={i18n.t("Export")} />;
}

function CommandButton({ command, label }: { readonly command: Command; readonly label: string }) {
  return (
    <>
      <BusyButton size="xs" variant="default" loading={command.isBusy} onClick={() => void command.run()}>
        {label}
      </BusyButton>
      {command.failure && (
        <Text c="var(--mantine-color-error)" role="alert">
          {command.failure}
        </Text>
      )}
    </>
  );
}
