import { Group, Paper, Table, Title } from "@mantine/core";
import type { ReactNode } from "react";

interface SectionProps {
  readonly title: string;
  /** A button in the line of the title. */
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

/** A part of a page with a title. */
export function Section({ title, action, children }: SectionProps) {
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <Group justify="space-between" mb="sm">
        <Title order={2}>{title}</Title>
        {action}
      </Group>
      {children}
    </Paper>
  );
}

export type Facts = readonly (readonly [name: string, value: ReactNode])[];

/** Shows names with their values, and leaves out those without one. */
export function FactTable({ facts }: { readonly facts: Facts }) {
  const shown = facts.filter(([, value]) => value !== null && value !== undefined && value !== "");
  return (
    <Table withRowBorders={false} verticalSpacing={4} horizontalSpacing={0} className="facts">
      <Table.Tbody>
        {shown.map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th scope="row" fw={400} c="dimmed" w="9rem" style={{ verticalAlign: "top" }}>
              {name}
            </Table.Th>
            <Table.Td className="wrap">{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
