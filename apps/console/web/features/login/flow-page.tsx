import type { Flow, FlowKind } from "@appserver/contracts/sign-in";
import { Alert, Anchor, Button, Group, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { i18n } from "../../i18n.ts";
import { Loading } from "../../parts/states.tsx";
import { pageOf } from "./addresses.ts";
import { offersSecurityKeys, type Section } from "./flow.ts";
import { FlowForm, MessageView } from "./flow-form.tsx";
import { LoginFrame } from "./login-frame.tsx";
import { FlowDisabled } from "./self-service.ts";
import { useFlow } from "./use-flow.ts";

interface FlowPageProps {
  readonly kind: FlowKind;
  readonly title: (flow: Flow | undefined) => string;
  readonly lead?: string;
  /** Said instead of the form if the flow is switched off. */
  readonly disabled?: string;
  readonly frame?: (section: Section, content: ReactNode) => ReactNode;
  readonly links?: (flow: Flow | undefined, returnTo: string | undefined) => ReactNode;
  readonly isWide?: boolean;
}

/** A page for a flow, from its beginning to its end. */
export function FlowPage({ kind, title, lead, disabled, frame, links, isWide }: FlowPageProps) {
  const { flow, failure, notice, isSending, returnTo, send, retry } = useFlow(kind);
  return (
    <LoginFrame title={title(flow)} lead={lead} links={links?.(flow, returnTo)} isWide={isWide ?? false}>
      {notice && <MessageView message={{ type: "info", text: notice }} />}
      {failure && <FlowFailure failure={failure} disabled={disabled} retry={flow ? undefined : retry} />}
      {flow ? (
        <Stack gap="lg">
          <FlowForm flow={flow} isSending={isSending} onSend={send} {...(frame && { frame })} />
          {offersSecurityKeys(flow) && (
            <Text size="sm" c="dimmed">
              {i18n.t("Passkeys and security keys cannot be used on this page.")}
            </Text>
          )}
        </Stack>
      ) : (
        !failure && <Loading />
      )}
    </LoginFrame>
  );
}

interface FlowFailureProps {
  readonly failure: Error;
  readonly disabled: string | undefined;
  readonly retry: (() => void) | undefined;
}

function FlowFailure({ failure, disabled, retry }: FlowFailureProps) {
  if (failure instanceof FlowDisabled) return <Text>{disabled ?? failure.message}</Text>;
  return (
    <Alert color="red" variant="outline" role="alert" p="sm">
      <Group justify="space-between">
        <Text size="sm">{failure.message}</Text>
        {retry && (
          <Button size="xs" variant="default" onClick={retry}>
            {i18n.t("Try again")}
          </Button>
        )}
      </Group>
    </Alert>
  );
}

/** A link to another page for people without a session, which keeps where they want to go. */
export function FlowLink({ kind, returnTo, flow, children }: FlowLinkProps) {
  return (
    <Anchor href={pageOf(kind, { return_to: returnTo, flow })} size="sm">
      {children}
    </Anchor>
  );
}

interface FlowLinkProps {
  readonly kind: FlowKind;
  readonly returnTo: string | undefined;
  readonly flow?: string | undefined;
  readonly children: ReactNode;
}
