import { totalmem } from 'node:os';

const MIB = 1024 * 1024;

/** The machine's memory, or the container's when it has less. */
function memoryBytes(): number {
  const limit = process.constrainedMemory();
  return limit > 0 && limit < totalmem() ? limit : totalmem();
}

/**
 * All settings that differ from Postgres's defaults. They are passed on the command line instead of stored in the data
 * folder, so that a new version of Gleaner can change them.
 * @param durable false only for throw-away test clusters: a crash of the machine may then lose everything
 */
export function serverSettings(port: number, durable: boolean): Record<string, string> {
  const memory = memoryBytes();
  const share = (part: number, least: number, most: number): string =>
    `${Math.round(Math.min(most, Math.max(least, memory / part / MIB)))}MB`;
  return {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    // Reserved for the service, which is a superuser: the read-only logins of accounts can't use these.
    superuser_reserved_connections: '160',
    max_connections: '340',
    // The system's cache holds the rest. Postgres's tables for more buffers would take memory even when idle.
    shared_buffers: share(32, 64, 256),
    effective_cache_size: share(3, 256, 16_384),
    work_mem: '8MB',
    maintenance_work_mem: share(64, 64, 256),
    jit: 'off',
    random_page_cost: '1.1',
    // Bulk loads write much WAL at once. `replica` is the least with which a backup is possible while the server runs.
    wal_level: 'replica',
    max_wal_senders: '0',
    max_wal_size: '2GB',
    min_wal_size: '128MB',
    checkpoint_timeout: '15min',
    fsync: durable ? 'on' : 'off',
    synchronous_commit: durable ? 'on' : 'off',
    full_page_writes: durable ? 'on' : 'off',
    autovacuum_naptime: '15s',
    log_timezone: 'UTC',
    timezone: 'UTC',
    log_line_prefix: '',
    lc_messages: 'C',
    log_checkpoints: 'off',
    // Statements and error details can contain users' data. The service logs its own errors without them.
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    log_parameter_max_length: '0',
    log_parameter_max_length_on_error: '0',
    // 256 MB: every login may fill the queue of NOTIFY, and the default of 8 GB takes minutes to empty.
    max_notify_queue_pages: '32768',
    cluster_name: 'gleaner',
    // A vanished client must not hold its locks for the system's default of two hours.
    tcp_keepalives_idle: '30',
    tcp_keepalives_interval: '10',
    tcp_keepalives_count: '3',
    client_connection_check_interval: '10s',
  };
}
