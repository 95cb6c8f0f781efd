import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { formatNumber } from '../format/format.ts';
import { IconAlertTriangle } from '../parts/icons.ts';
import { sayBroken, useAlarms } from './alarms.ts';

const SHOWN = 5;

/** The parsers with an alarm by name, on the first page: their rows may be far down. */
export function AlarmNotice() {
  const names = new Map(useAlarms().map(({ parser }) => [parser.id, parser.name]));
  if (names.size === 0) return null;
  const rest = names.size - SHOWN;
  return (
    <div className="notice bad flat" role="status">
      <IconAlertTriangle size={16} color="var(--red)" aria-hidden className="notice-icon" />
      <div>
        <strong>{sayBroken(names.size)}:</strong>{' '}
        {[...names].slice(0, SHOWN).map(([parserId, name], place) => (
          <Fragment key={parserId}>
            {place > 0 && ', '}
            <Link to="/parsers/$parserId/health" params={{ parserId }}>
              {name}
            </Link>
          </Fragment>
        ))}
        {rest > 0 && ` and ${formatNumber(rest)} more`}. See what changed, and let Gleaner propose a repair.
      </div>
    </div>
  );
}
