import type { FlowNode, InputNode } from "@appserver/contracts/sign-in";
import { Anchor, Checkbox, Code, Image, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { i18n } from "../../i18n.ts";
import { pageInstead } from "./addresses.ts";
import { providerText } from "./provider-texts.ts";

interface NodeViewProps {
  readonly node: FlowNode;
  readonly value: string;
  /** Given to one input of the form. */
  readonly isFirst: boolean;
  readonly onChange: (value: string) => void;
}

/** Shows a part of a form that is not a button. */
export function NodeView({ node, ...input }: NodeViewProps) {
  switch (node.type) {
    case "input":
      return <Field node={node} {...input} />;
    case "img":
      // White around the code, so that cameras find it on a dark page, too.
      return (
        <Image
          src={node.attributes.src}
          alt={providerText(node.meta.label?.text ?? "")}
          w={node.attributes.width}
          h={node.attributes.height}
          maw="100%"
          bg="white"
          radius="md"
        />
      );
    case "text":
      return <Shown node={node} />;
    case "a":
      return <Anchor href={pageInstead(node.attributes.href)}>{providerText(node.attributes.title.text)}</Anchor>;
    default:
      return null;
  }
}

/** The keyboards that phones show. */
const inputModes = { email: "email", tel: "tel", number: "numeric", url: "url" } as const;
const codes: ReadonlySet<string> = new Set(["totp_code", "code"]);

function Field({ node, value, isFirst, onChange }: NodeViewProps & { readonly node: InputNode }) {
  const { name, type, required, disabled, autocomplete, maxlength } = node.attributes;
  const label = node.meta.label ? providerText(node.meta.label.text) : nameOf(name);
  const problems = node.messages.filter(({ type: kind }) => kind === "error").map(({ text }) => providerText(text));
  const hints = node.messages.filter(({ type: kind }) => kind !== "error").map(({ text }) => providerText(text));
  const common = {
    name,
    label,
    disabled: disabled ?? false,
    error: problems.length > 0 ? problems.join(" ") : undefined,
    description: hints.length > 0 ? hints.join(" ") : undefined,
    "data-autofocus": isFirst || undefined,
  };
  if (type === "checkbox")
    return (
      <Checkbox
        {...common}
        checked={value === "true"}
        onChange={({ currentTarget }) => onChange(String(currentTarget.checked))}
      />
    );
  const attributes = {
    ...common,
    value,
    required: required ?? false,
    withAsterisk: false,
    autoComplete: autocomplete ?? (codes.has(name) ? "one-time-code" : undefined),
    maxLength: maxlength,
    onChange: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) => onChange(currentTarget.value),
  };
  if (type === "password")
    return <PasswordInput {...attributes} visibilityToggleButtonProps={{ "aria-label": i18n.t("Show {label}", { label }) }} />;
  const mode = codes.has(name) ? "numeric" : inputModes[type as keyof typeof inputModes];
  // An address is checked by Kratos. With `type="email"` the browser would refuse some that are valid.
  return <TextInput {...attributes} type={type === "email" ? "text" : type} inputMode={mode} />;
}

/** Returns a label for a trait whose schema has no title: `traits.name.first` is "Name first". */
function nameOf(name: string): string {
  return name
    .replace(/^traits\./, "")
    .replaceAll(/[._]/g, " ")
    .replace(/^./, (first) => first.toUpperCase());
}

function Shown({ node }: { readonly node: Extract<FlowNode, { readonly type: "text" }> }) {
  const { text, context } = node.attributes.text;
  return (
    <Stack gap={4}>
      {node.meta.label && (
        <Text size="sm" fw={500}>
          {providerText(node.meta.label.text)}
        </Text>
      )}
      {context?.secrets ? (
        <ul className="secrets">
          {context.secrets.map((secret) => (
            <li key={secret.text}>
              <Code>{secret.text}</Code>
            </li>
          ))}
        </ul>
      ) : (
        <Code block className="wrap">
          {text}
        </Code>
      )}
    </Stack>
  );
}
