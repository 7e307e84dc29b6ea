import type { Flow, Message, PasskeyNode } from "@appserver/contracts/sign-in";
import { Alert, Button, Divider, Stack, Text } from "@mantine/core";
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { i18n } from "../../i18n.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { type ButtonNode, buttonOf, isAction, type Section, sectionsOf, type Values, valuesOf } from "./flow.ts";
import { NodeView } from "./node-view.tsx";
import { askPasskey } from "./passkey.ts";
import { providerText } from "./provider-texts.ts";

interface FlowFormProps {
  readonly flow: Flow;
  readonly isSending: boolean;
  readonly onSend: (button: ButtonNode, values: Values) => Promise<void>;
  /** Puts a section into its place on the page. By default the sections follow each other, with "or" between them. */
  readonly frame?: (section: Section, content: ReactNode) => ReactNode;
}

/** Buttons that take something away, by their names. */
const destroys: Readonly<Record<string, string>> = {
  totp_unlink: i18n.t("Codes of this authenticator app are then no longer accepted."),
  recovery_codes_renew: i18n.t("Your earlier recovery codes are then no longer accepted, and all other sessions end."),
  passkey_remove: i18n.t("You can then no longer sign in with this passkey, and all other sessions end."),
  lookup_secret_disable: i18n.t("Your recovery codes are then no longer accepted."),
  sessions_end_others: i18n.t("Every other browser and program is then signed out."),
  unlink: i18n.t("You can then no longer sign in with this service."),
};

/** Shows a flow: its messages, and a form for each method. */
export function FlowForm({ flow, isSending, onSend, frame }: FlowFormProps) {
  const [values, setValues] = useState<Values>(() => valuesOf(flow));
  const [known, setKnown] = useState(flow);
  const [asked, setAsked] = useState<ButtonNode>();
  const [refused, setRefused] = useState<string>();
  const [isSigning, setSigning] = useState(false);
  const messages = useRef<HTMLDivElement>(null);
  if (known !== flow) {
    setKnown(flow);
    setRefused(undefined);
    setValues(valuesOf(flow, values));
  }
  const first = useRef(flow);
  useEffect(() => {
    const isNew = first.current !== flow;
    const invalid = document.querySelector<HTMLElement>("main [aria-invalid=true]");
    if (invalid) invalid.focus();
    else if (isNew && flow.ui.messages?.length) messages.current?.focus();
  }, [flow]);
  const sign = async (node: PasskeyNode): Promise<void> => {
    setRefused(undefined);
    setSigning(true);
    try {
      await onSend(buttonOf(node, await askPasskey(node)), values);
    } catch (error) {
      setRefused(error instanceof Error ? error.message : String(error));
    } finally {
      setSigning(false);
    }
  };
  const press = (button: ButtonNode | PasskeyNode): void => {
    if (button.type === "passkey") void sign(button);
    else if (destroys[button.attributes.name]) setAsked(button);
    else void onSend(button, values);
  };
  const sections = sectionsOf(flow, frame ? "change" : "sign-in");
  return (
    <Stack gap="lg">
      <div ref={messages} tabIndex={-1} className="messages" hidden={!flow.ui.messages?.length}>
        {flow.ui.messages?.map((message) => (
          <MessageView key={message.id} message={message} />
        ))}
      </div>
      {refused !== undefined && <MessageView message={{ type: "error", text: refused }} />}
      {sections.map((section, index) => {
        const form = (
          <SectionForm
            key={section.group}
            section={section}
            values={values}
            isSending={isSending || isSigning}
            isFirst={index === 0}
            onChange={(name, value) => setValues((before) => ({ ...before, [name]: value }))}
            onPress={press}
          />
        );
        if (frame) return frame(section, form);
        return index === 0 || section.nodes.every(isAction) ? (
          form
        ) : (
          <Stack key={section.group} gap="lg">
            <Divider label={i18n.t("or")} labelPosition="center" classNames={{ label: "plain" }} />
            {form}
          </Stack>
        );
      })}
      <Confirm
        opened={asked !== undefined}
        title={`${asked ? labelOf(asked) : ""}?`}
        action={asked ? labelOf(asked) : ""}
        onCancel={() => setAsked(undefined)}
        onConfirm={async () => asked && (await onSend(asked, values))}
      >
        <Text>{asked && destroys[asked.attributes.name]}</Text>
      </Confirm>
    </Stack>
  );
}

interface SectionFormProps {
  readonly section: Section;
  readonly values: Values;
  readonly isSending: boolean;
  readonly isFirst: boolean;
  readonly onChange: (name: string, value: string) => void;
  readonly onPress: (button: ButtonNode | PasskeyNode) => void;
}

/** Its first button is the one that Enter presses. */
function SectionForm({ section, values, isSending, isFirst, onChange, onPress }: SectionFormProps) {
  const parts = section.nodes.filter((node) => !isAction(node));
  const buttons = section.nodes.filter(isAction);
  const firstInput = isFirst ? parts.find(({ type }) => type === "input") : undefined;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const [first] = buttons;
    if (first) onPress(first);
  };
  return (
    <form onSubmit={submit} aria-label={section.group} noValidate>
      <Stack gap="md">
        {parts.map((node) => {
          const name = node.type === "input" ? node.attributes.name : "id" in node.attributes ? node.attributes.id : "";
          return (
            <NodeView
              key={`${node.group} ${name}`}
              node={node}
              value={values[name] ?? ""}
              isFirst={node === firstInput}
              onChange={(value) => onChange(name, value)}
            />
          );
        })}
        {buttons.map((node, index) => (
          <Button
            key={`${node.attributes.name} ${node.type === "input" ? node.attributes.value : ""}`}
            type={index === 0 ? "submit" : "button"}
            variant={index === 0 && parts.some(({ type }) => type === "input") ? "filled" : "default"}
            loading={isSending}
            disabled={node.type === "input" && (node.attributes.disabled ?? false)}
            onClick={index === 0 ? undefined : () => onPress(node)}
          >
            {labelOf(node)}
          </Button>
        ))}
      </Stack>
    </form>
  );
}

const colors = { error: "red", info: "blue", success: "teal" } as const;

export function MessageView({ message: { type, text } }: { readonly message: Pick<Message, "type" | "text"> }) {
  return (
    <Alert color={colors[type]} variant="outline" role={type === "error" ? "alert" : "status"} p="sm">
      <Text size="sm">{providerText(text)}</Text>
    </Alert>
  );
}

function labelOf({ meta, attributes }: ButtonNode | PasskeyNode): string {
  return meta.label ? providerText(meta.label.text) : attributes.name;
}
