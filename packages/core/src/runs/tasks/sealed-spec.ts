import {
  openConfig,
  sealConfig,
  type ConfigOwner,
  type StoredConfig,
} from '../../platform/secrets/sealed-config.ts';
import type { RunConfig } from './run-config.ts';
import type { TaskSpec } from './task-spec.ts';

/** A task as it is stored: what it sends is sealed too. */
export type StoredSpec = Omit<TaskSpec, 'config' | 'request'> & { config: StoredConfig<RunConfig> };

/** @throws AppError as `sealConfig` does */
export function sealSpec({ request, config, ...rest }: TaskSpec, place: ConfigOwner): StoredSpec {
  return { ...rest, config: sealConfig(config, place, request && { request }) };
}

/** @throws AppError as `openConfig` does */
export function openSpec(spec: StoredSpec, place: ConfigOwner): TaskSpec {
  const { request, ...config } = openConfig<RunConfig & Pick<TaskSpec, 'request'>>(spec.config, place);
  return { ...spec, config, ...(request === undefined ? {} : { request }) };
}
