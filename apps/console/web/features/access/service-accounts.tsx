import { Button, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useViewer } from "../../api/viewer.ts";
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
import { TrustedPipelines } from "./trusted-pipelines.tsx";
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
        <Text c="dimmed">Accounts for pipelines and other programs. They call the platform with tokens.</Text>
        {mayManage && <Button onClick={() => setReceiver("new")}>New service account</Button>}
      </Group>
      {accounts.length === 0 && <Empty title="No service accounts">A pipeline should not use the session of a person.</Empty>}
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
            <SubjectLink subject={{ id: subject, displayName: `Permissions of ${name}` }} />
            <Text size="sm" c="dimmed" className="wrap">
              created by <Who id={createdBy} /> <Time at={createdAt} />
            </Text>
          </div>
          {onAdd && (
            <Group gap="xs">
              <Button size="xs" onClick={() => onAdd(account)} aria-label={`Add token to ${name}`}>
                Add token
              </Button>
              <EndButton
                label="Delete"
                name={`Delete ${name}`}
                warning={`${name} ends with its tokens and all that it was given. Programs that use it are refused at once.`}
                onEnd={() => deleteAccount(id)}
              />
            </Group>
          )}
        </Group>
        {tokens.length === 0 && <Text c="dimmed">It has no token.</Text>}
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
  return (
    <Group justify="space-between" wrap="nowrap">
      <div>
        <Text className="wrap">{scopes ? scopes.join(", ") : "All that the account holds"}</Text>
        <Text size="sm" c={isExpired ? "var(--mantine-color-error)" : "dimmed"} className="wrap">
          {isExpired ? "expired" : "expires"} <Time at={expiresAt} />, {usedAt ? "last used " : "never used"}
          {usedAt && <Time at={usedAt} />}, token {id}
        </Text>
      </div>
      {mayEnd && (
        <EndButton
          label="Revoke"
          name={`Revoke token ${id} of ${account.name}`}
          warning={`Programs that use this token of ${account.name} are refused at once.`}
          onEnd={() => revokeToken(account.id, id)}
        />
      )}
    </Group>
  );
}
