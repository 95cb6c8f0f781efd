import {
  ConfigError,
  createLogger,
  createRateLimiter,
  createMetrics,
  loadConfig,
  openAnswerInbox,
} from '@gleaner/core';
import { createDatabase } from '@gleaner/db';
import { createExtractionPool } from '@gleaner/extractors/pool';
import { createQueueBackend } from '@gleaner/queue';
import { Redis } from 'ioredis';
import { buildServer } from './server.ts';

const start = async (): Promise<void> => {
  const config = loadConfig(process.env);
};
