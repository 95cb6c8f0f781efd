import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { operationQuery } from '../api/call.ts';
import { Page } from '../parts/page.tsx';

interface ParserPartProps {
  parserId: string;
  title: string;
  actions?: ReactNode;
  children: ReactNode;
}

/** A page about one side of a parser, with the way back to it. */
export function ParserPart({ parserId, ...page }: ParserPartProps) {
  const { data } = useQuery(operationQuery('getParser', { params: { id: parserId } }));
  return (
    <Page
      {...page}
      crumbs={[
        <Link to="/parsers">Parsers</Link>,
        <Link to="/parsers/$parserId" params={{ parserId }}>
          {data?.name ?? 'Parser'}
        </Link>,
      ]}
      padded
    />
  );
}
