import { Trans } from "@lingui/react";
import { Button, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useViewer } from "../../api/viewer.ts";
import { i18n } from "../../i18n.ts";
import { EndButton } from "../../parts/end-button.tsx";
import { Section } from "../../parts/facts.tsx";
import { MoreButton } from "../../parts/more-button.tsx";
import { Empty, Failure, Loading } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { Who } from "../../parts/who.tsx";
import {
  type Account,
  type AccountToken,
  deleteAccount,
  type Pipeline,
  revokeToken,
  serviceAccountsQuery,
  trustedPipelinesQuery,
} from "./service-account-queries.ts";
import { SubjectLink } from "./subject-link.tsx";
import { TokenDialog } from "./token-dialog.tsx";
import { LastUsed, TrustedPipelines } from "./trusted-pipelines.tsx";
import { useSteps } from "./use-steps.ts";

/** Accounts for programs, with their tokens. */
export function ServiceAccounts() {
  const { data: accounts, error, refetch } = useQuery(serviceAccountsQuery);
  const pipelines = useQuery(trustedPipelinesQuery);
  const { permissions } = useViewer();
  /** The account that gets a token: a new one, or one that exists. */
  const [receiver, setReceiver] = useState<Account | "new">();
  const { shown, more } = useSteps(accounts ?? []);
  if (error && accounts === undefined) return <Failure error={error} retry={() => void refetch()} />;
  if (pipelines.error && pipelines.data === undefined)
    return <Failure error={pipelines.error} retry={() => void pipelines.refetch()} />;
  if (!accounts || !pipelines.data) return <Loading />;
  const trusted = Map.groupBy(pipelines.data, ({ accountId }) => accountId);
  const mayManage = permissions.includes("access:manage");
  return (
    <Stack>
      <Group justify="space-between">
        <Text c="dimmed">{i18n.t("Accounts for pipelines and other programs. They call the platform with tokens.")}</Text>
        {mayManage && <Button onClick={() => setReceiver("new")}>{i18n.t("New service account")}</Button>}
      </Group>
      {accounts.length === 0 && (
        <Empty title={i18n.t("No service accounts")}>{i18n.t("A pipeline should not use the session of a person.")}</Empty>
      )}
      {shown.map((account) => (
        <AccountSection
          key={account.id}
          account={account}
          pipelines={trusted.get(account.id) ?? []}
          onAdd={mayManage ? setReceiver : undefined}
        />
      ))}
      <MoreButton query={more} />
      <TokenDialog receiver={receiver} onClose={() => setReceiver(undefined)} />
    </Stack>
  );
}

interface AccountProps {
  readonly account: Account;
  readonly pipelines: readonly Pipeline[];
  /** Undefined: the viewer may not manage access. */
  readonly onAdd: ((account: Account) => void) | undefined;
}

function AccountSection({ account, pipelines, onAdd }: AccountProps) {
  const { id, name, subject, createdBy, createdAt, tokens } = account;
  return (
    <Section title={name}>
      <Stack gap="sm">
        <Group justify="space-between">
          <div>
            <SubjectLink subject={{ id: subject, displayName: i18n.t("Permissions of {name}", { name }) }} />
            <Text size="sm" c="dimmed" className="wrap">
              <Trans id="created by <0/> <1/>" components={{ 0: <Who id={createdBy} />, 1: <Time at={createdAt} /> }} />
            </Text>
          </div>
          {onAdd && (
            <Group gap="xs">
              <Button
                size="xs"
                variant="default"
                onClick={() => onAdd(account)}
                aria-label={i18n.t("Add token to {name}", { name })}
              >
                {i18n.t("Add token")}
              </Button>
              <EndButton
                label={i18n.t("Delete")}
                name={i18n.t("Delete {name}", { name })}
                warning={i18n.t(
                  "{name} ends with its tokens and all that it was given. Programs that use it are refused at once.",
                  { name },
                )}
                onEnd={() => deleteAccount(id)}
              />
            </Group>
          )}
        </Group>
        {tokens.length === 0 && <Text c="dimmed">{i18n.t("It has no token.")}</Text>}
        {tokens.map((token) => (
          <TokenRow key={token.id} account={account} token={token} mayEnd={onAdd !== undefined} />
        ))}
        <TrustedPipelines pipelines={pipelines} mayEnd={onAdd !== undefined} />
      </Stack>
    </Section>
  );
}

interface TokenProps {
  readonly account: Account;
  readonly token: AccountToken;
  readonly mayEnd: boolean;
}

function TokenRow({ account, token, mayEnd }: TokenProps) {
  const { id, scopes, expiresAt, usedAt } = token;
  const isExpired = new Date(expiresAt).getTime() <= Date.now();
  const expiry = { 0: <Time at={expiresAt} /> };
  return (
    <Group justify="space-between" wrap="nowrap">
      <div>
        <Text className="wrap">{scopes ? scopes.join(", ") : i18n.t("All that the account holds")}</Text>
        <Text size="sm" c={isExpired ? "var(--mantine-color-error)" : "dimmed"} className="wrap">
          {isExpired ? <Trans id="expired <0/>" components={expiry} /> : <Trans id="expires <0/>" components={expiry} />},{" "}
          <LastUsed at={usedAt} />, {i18n.t("token {id}", { id })}
        </Text>
      </div>
      {mayEnd && (
        <EndButton
          label={i18n.t("Revoke")}
          name={i18n.t("Revoke token {id} of {name}", { id, name: account.name })}
          warning={i18n.t("Programs that use this token of {name} are refused at once.", { name: account.name })}
          onEnd={() => revokeToken(account.id, id)}
        />
      )}
    </Group>
  );
}
