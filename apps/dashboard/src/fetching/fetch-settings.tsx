import { Checkbox, Select, TextInput } from '@mantine/core';
import type { ScrapeConfig } from '@gleaner/client';
import { readProxy, usesBrowser } from '@gleaner/contracts/values';
import { choicesOf } from '../parts/choices.ts';
import { PROXY_WORDS } from '../targets/proxy-words.ts';
import { ActionsList } from './actions-list.tsx';
import { PairsField } from './pairs-field.tsx';
import { withSetting } from './words.ts';

interface FetchSettingsProps {
  config: ScrapeConfig;
  onChange: (config: ScrapeConfig) => void;
  /** What the service refused, by the name of the setting. */
  faultOf?: FaultOf | undefined;
  /** Crawls have a rule of their own for robots.txt. */
  withRobots?: boolean;
}

type FaultOf = (setting: keyof ScrapeConfig) => string | undefined;

type SetOne = <K extends keyof ScrapeConfig>(key: K, value: ScrapeConfig[K]) => void;

interface NumberFieldProps {
  label: string;
  error: string | undefined;
  placeholder?: string;
  min: number;
  max: number;
  value: number | undefined;
  onChange: (value: number | undefined) => void;
}

/** A number, or nothing. Mantine's own field would bring a formatter of 9 KB to the studio. */
function NumberField({ value, onChange, ...field }: NumberFieldProps) {
  return (
    <TextInput
      {...field}
      type="number"
      w={140}
      value={value ?? ''}
      onChange={({ currentTarget: { value: text } }) => onChange(text === '' ? undefined : Number(text))}
    />
  );
}

/** Runs the scripts of pages first. */
export function BrowserBox({ config, onChange }: FetchSettingsProps) {
  return (
    <Checkbox
      label="Run the page’s scripts in a browser first"
      checked={usesBrowser(config)}
      disabled={readProxy(config.proxy).tier === 'hardcore'}
      onChange={(event) =>
        onChange(withSetting(config, 'useBrowser', event.currentTarget.checked ? true : undefined))
      }
    />
  );
}

interface BrowserFieldsProps {
  config: ScrapeConfig;
  set: SetOne;
  faultOf: FaultOf;
}

function BrowserFields({ config, set, faultOf }: BrowserFieldsProps) {
  return (
    <>
      <div className="row wrap bottom">
        <TextInput
          label="Wait for an element"
          placeholder=".price"
          className="grow"
          classNames={{ input: 'mono' }}
          error={faultOf('waitForBrowser')}
          value={config.waitForBrowser ?? ''}
          onChange={(event) => set('waitForBrowser', event.currentTarget.value || undefined)}
        />
        <NumberField
          label="Wait (seconds)"
          min={0}
          max={60}
          error={faultOf('waitSeconds')}
          value={config.waitSeconds}
          onChange={(value) => set('waitSeconds', value)}
        />
      </div>
      <ActionsList
        error={faultOf('actions')}
        actions={config.actions ?? []}
        onChange={(actions) => set('actions', actions.length === 0 ? undefined : actions)}
      />
      <Checkbox
        label="Load pictures, media and fonts too"
        checked={config.blockResources === false}
        onChange={(event) => set('blockResources', event.currentTarget.checked ? false : undefined)}
      />
    </>
  );
}

function noFault(): undefined {
  return undefined;
}

/** How pages are fetched, beside `BrowserBox`. */
export function FetchSettings({
  config,
  onChange,
  faultOf = noFault,
  withRobots = true,
}: FetchSettingsProps) {
  const set: SetOne = (key, value) => onChange(withSetting(config, key, value));
  const { tier } = readProxy(config.proxy);
  return (
    <div className="stack">
      {usesBrowser(config) && <BrowserFields {...{ config, set, faultOf }} />}
      <div className="row wrap bottom">
        <Select
          label="Proxy"
          data={choicesOf(PROXY_WORDS)}
          error={faultOf('proxy')}
          value={tier}
          allowDeselect={false}
          className="grow"
          onChange={(next) => set('proxy', next === null || next === 'default' ? undefined : next)}
        />
        <TextInput
          label="Country"
          placeholder="de"
          w={80}
          maxLength={2}
          error={faultOf('country')}
          value={config.country ?? ''}
          onChange={(event) => set('country', event.currentTarget.value.trim() || undefined)}
        />
      </div>
      <PairsField
        label="Headers"
        placeholder="Accept-Language: de"
        error={faultOf('headers')}
        value={config.headers}
        onChange={(pairs) => set('headers', pairs)}
      />
      <PairsField
        label="Cookies"
        placeholder="consent: yes"
        error={faultOf('cookies')}
        value={config.cookies}
        onChange={(pairs) => set('cookies', pairs)}
      />
      <div className="row wrap bottom">
        <NumberField
          label="Time limit (seconds)"
          placeholder="60"
          min={1}
          max={120}
          error={faultOf('timeoutSeconds')}
          value={config.timeoutSeconds}
          onChange={(value) => set('timeoutSeconds', value)}
        />
        <NumberField
          label="Further attempts"
          placeholder="2"
          min={0}
          max={5}
          error={faultOf('retries')}
          value={config.retries}
          onChange={(value) => set('retries', value)}
        />
      </div>
      {withRobots && (
        <Checkbox
          label="Follow robots.txt"
          checked={config.respectRobots === true}
          onChange={(event) => set('respectRobots', event.currentTarget.checked ? true : undefined)}
        />
      )}
    </div>
  );
}
