import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

/** The way back from a page of one parser. */
export function parserCrumbs(parserId: string, name: string | undefined): readonly ReactNode[] {
  return [
    <Link to="/parsers">Parsers</Link>,
    <Link to="/parsers/$parserId" params={{ parserId }}>
      {name ?? 'Parser'}
    </Link>,
  ];
}
