--
-- PostgreSQL database dump
--


-- Dumped from database version 15.20 (Debian 15.20-0+deb12u1)
-- Dumped by pg_dump version 15.20 (Debian 15.20-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: arc_dbos; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA arc_dbos;


--
-- Name: enqueue_workflow(text, text, json[], json, text, text, text, text, bigint, bigint, text, integer, text, text, text, bigint, text); Type: FUNCTION; Schema: arc_dbos; Owner: -
--

CREATE FUNCTION arc_dbos.enqueue_workflow(workflow_name text, queue_name text, positional_args json[] DEFAULT ARRAY[]::json[], named_args json DEFAULT '{}'::json, class_name text DEFAULT NULL::text, config_name text DEFAULT NULL::text, workflow_id text DEFAULT NULL::text, app_version text DEFAULT NULL::text, timeout_ms bigint DEFAULT NULL::bigint, deadline_epoch_ms bigint DEFAULT NULL::bigint, deduplication_id text DEFAULT NULL::text, priority integer DEFAULT NULL::integer, queue_partition_key text DEFAULT NULL::text, authenticated_user text DEFAULT NULL::text, authenticated_roles text DEFAULT NULL::text, delay_until_epoch_ms bigint DEFAULT NULL::bigint, application_name text DEFAULT NULL::text) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
    v_workflow_id TEXT;
    v_serialized_inputs TEXT;
    v_owner_xid TEXT;
    v_now BIGINT;
    v_recovery_attempts INT4 := 0;
    v_priority INT4;
    v_status TEXT;
BEGIN

    -- Validate required parameters
    IF workflow_name IS NULL OR workflow_name = '' THEN
        RAISE EXCEPTION 'Workflow name cannot be null or empty';
    END IF;
    IF queue_name IS NULL OR queue_name = '' THEN
        RAISE EXCEPTION 'Queue name cannot be null or empty';
    END IF;
    IF named_args IS NOT NULL AND jsonb_typeof(named_args::jsonb) != 'object' THEN
        RAISE EXCEPTION 'Named args must be a JSON object';
    END IF;
    IF workflow_id IS NOT NULL AND workflow_id = '' THEN
        RAISE EXCEPTION 'Workflow ID cannot be an empty string if provided.';
    END IF;
    IF delay_until_epoch_ms IS NOT NULL AND delay_until_epoch_ms < 0 THEN
        RAISE EXCEPTION 'delay_until_epoch_ms must be >= 0';
    END IF;

    v_workflow_id := COALESCE(workflow_id, gen_random_uuid()::TEXT);
    v_owner_xid := gen_random_uuid()::TEXT;
    v_priority := COALESCE(priority, 0);
    v_serialized_inputs := json_build_object(
        'positionalArgs', positional_args,
        'namedArgs', named_args
    )::TEXT;
    v_now := EXTRACT(epoch FROM now()) * 1000;
    v_status := CASE WHEN delay_until_epoch_ms IS NULL THEN 'ENQUEUED' ELSE 'DELAYED' END;

    INSERT INTO "arc_dbos".workflow_status (
        workflow_uuid, status,
        name, class_name, config_name,
        queue_name, deduplication_id, priority, queue_partition_key,
        application_version,
        created_at, updated_at, recovery_attempts,
        workflow_timeout_ms, workflow_deadline_epoch_ms,
        parent_workflow_id, owner_xid, serialization,
        authenticated_user, authenticated_roles,
        delay_until_epoch_ms, application_name
    ) VALUES (
        v_workflow_id, v_status,
        workflow_name, class_name, config_name,
        queue_name, deduplication_id, v_priority, queue_partition_key,
        app_version,
        v_now, v_now, v_recovery_attempts,
        timeout_ms, deadline_epoch_ms,
        NULL, v_owner_xid, 'portable_json',
        authenticated_user, authenticated_roles,
        delay_until_epoch_ms, application_name
    )
    ON CONFLICT (workflow_uuid)
    DO UPDATE SET
        updated_at = EXCLUDED.updated_at;

    INSERT INTO "arc_dbos".workflow_input (
        workflow_uuid, inputs, retention_timestamp
    ) VALUES (
        v_workflow_id, v_serialized_inputs, v_now
    )
    ON CONFLICT (workflow_uuid) DO NOTHING;

    RETURN v_workflow_id;

EXCEPTION
    WHEN unique_violation THEN
        RAISE EXCEPTION 'DBOS queue duplicated'
            USING DETAIL = format('Workflow %s with queue %s and deduplication ID %s already exists', v_workflow_id, queue_name, deduplication_id),
                ERRCODE = 'unique_violation';
END;
$$;


--
-- Name: send_message(text, json, text, text); Type: FUNCTION; Schema: arc_dbos; Owner: -
--

CREATE FUNCTION arc_dbos.send_message(destination_id text, message json, topic text DEFAULT NULL::text, message_id text DEFAULT NULL::text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
    v_topic TEXT := COALESCE(topic, '__null__topic__');
    v_message_id TEXT := COALESCE(message_id, gen_random_uuid()::TEXT);
BEGIN
    INSERT INTO "arc_dbos".notifications (
        destination_uuid, topic, message, message_uuid, serialization
    ) VALUES (
        destination_id, v_topic, message, v_message_id, 'portable_json'
    )
    ON CONFLICT (message_uuid) DO NOTHING;
EXCEPTION
    WHEN foreign_key_violation THEN
        RAISE EXCEPTION 'DBOS non-existent workflow'
            USING DETAIL = format('Destination workflow %s does not exist', destination_id),
                ERRCODE = 'foreign_key_violation';
END;
$$;


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: application_versions; Type: TABLE; Schema: arc_dbos; Owner: -
--

CREATE TABLE arc_dbos.application_versions (
    version_id text NOT NULL,
    version_name text NOT NULL,
    version_timestamp bigint DEFAULT ((EXTRACT(epoch FROM now()) * 1000.0))::bigint NOT NULL,
    created_at bigint DEFAULT ((EXTRACT(epoch FROM now()) * 1000.0))::bigint NOT NULL,
    application_name text
);


--
-- Name: dbos_migrations; Type: TABLE; Schema: arc_dbos; Owner: -
--

CREATE TABLE arc_dbos.dbos_migrations (
    version bigint NOT NULL
);


--
-- Name: event_dispatch_kv; Type: TABLE; Schema: arc_dbos; Owner: -
--

CREATE TABLE arc_dbos.event_dispatch_kv (
    service_name text NOT NULL,
    workflow_fn_name text NOT NULL,
    key text NOT NULL,
    value text,
    update_seq numeric(38,0),
    update_time numeric(38,15)
);


--
-- Name: notifications; Type: TABLE; Schema: arc_dbos; Owner: -
--

CREATE TABLE arc_dbos.notifications (
    message_uuid text DEFAULT gen_random_uuid() NOT NULL,
    destination_uuid text NOT NULL,
    topic text,
    message text NOT NULL,
    created_at_epoch_ms bigint DEFAULT ((EXTRACT(epoch FROM now()) * 1000.0))::bigint NOT NULL,
    serialization text,
    consumed boolean DEFAULT false NOT NULL,
    consumed_by_function_id integer
);


--
-- Name: operation_outputs; Type: TABLE; Schema: arc_dbos; Owner: -
--

CREATE TABLE arc_dbos.operation_outputs (
    workflow_uuid text NOT NULL,
    function_id integer NOT NULL,
    function_name text DEFAULT ''::text NOT NULL,
    output text,
    error text,
    child_workflow_id text,
    started_at_epoch_ms bigint,
    completed_at_epoch_ms bigint,
    serialization text,
    application_name text,
    retention_timestamp bigint DEFAULT ((EXTRACT(epoch FROM now()) * 1000.0))::bigint NOT NULL
);


--
-- Name: queues; Type: TABLE; Schema: arc_dbos; Owner: -
--

CREATE TABLE arc_dbos.queues (
    queue_id text DEFAULT (gen_random_uuid())::text NOT NULL,
    name text NOT NULL,
    concurrency integer,
    worker_concurrency integer,
    rate_limit_max integer,
    rate_limit_period_sec double precision,
    priority_enabled boolean DEFAULT false NOT NULL,
    partition_queue boolean DEFAULT false NOT NULL,
    polling_interval_sec double precision DEFAULT 1.0 NOT NULL,
    created_at bigint DEFAULT ((EXTRACT(epoch FROM now()) * 1000.0))::bigint NOT NULL,
    updated_at bigint DEFAULT ((EXTRACT(epoch FROM now()) * 1000.0))::bigint NOT NULL,
    application_name text,
    partition_concurrency integer,
    partition_worker_concurrency integer,
    partition_rate_limit_max integer,
    partition_rate_limit_period_sec double precision
);


--
-- Name: streams; Type: TABLE; Schema: arc_dbos; Owner: -
--

CREATE TABLE arc_dbos.streams (
    workflow_uuid text NOT NULL,
    key text NOT NULL,
    value text NOT NULL,
    "offset" integer NOT NULL,
    function_id integer DEFAULT 0 NOT NULL,
    serialization text
);


--
-- Name: workflow_events; Type: TABLE; Schema: arc_dbos; Owner: -
--

CREATE TABLE arc_dbos.workflow_events (
    workflow_uuid text NOT NULL,
    key text NOT NULL,
    value text NOT NULL,
    serialization text
);


--
-- Name: workflow_events_history; Type: TABLE; Schema: arc_dbos; Owner: -
--

CREATE TABLE arc_dbos.workflow_events_history (
    workflow_uuid text NOT NULL,
    function_id integer NOT NULL,
    key text NOT NULL,
    value text NOT NULL,
    serialization text
);


--
-- Name: workflow_input; Type: TABLE; Schema: arc_dbos; Owner: -
--

CREATE TABLE arc_dbos.workflow_input (
    workflow_uuid text NOT NULL,
    inputs text,
    retention_timestamp bigint DEFAULT ((EXTRACT(epoch FROM now()) * 1000.0))::bigint NOT NULL
);


--
-- Name: workflow_output; Type: TABLE; Schema: arc_dbos; Owner: -
--

CREATE TABLE arc_dbos.workflow_output (
    workflow_uuid text NOT NULL,
    output text,
    error text,
    retention_timestamp bigint DEFAULT ((EXTRACT(epoch FROM now()) * 1000.0))::bigint NOT NULL
);


--
-- Name: workflow_schedules; Type: TABLE; Schema: arc_dbos; Owner: -
--

CREATE TABLE arc_dbos.workflow_schedules (
    schedule_id text NOT NULL,
    schedule_name text NOT NULL,
    workflow_name text NOT NULL,
    workflow_class_name text,
    schedule text NOT NULL,
    status text DEFAULT 'ACTIVE'::text NOT NULL,
    context text NOT NULL,
    last_fired_at text,
    automatic_backfill boolean DEFAULT false NOT NULL,
    cron_timezone text,
    queue_name text,
    application_name text
);


--
-- Name: workflow_status; Type: TABLE; Schema: arc_dbos; Owner: -
--

CREATE TABLE arc_dbos.workflow_status (
    workflow_uuid text NOT NULL,
    status text,
    name text,
    authenticated_user text,
    assumed_role text,
    authenticated_roles text,
    request text,
    output text,
    error text,
    executor_id text,
    created_at bigint DEFAULT ((EXTRACT(epoch FROM now()) * 1000.0))::bigint NOT NULL,
    updated_at bigint DEFAULT ((EXTRACT(epoch FROM now()) * 1000.0))::bigint NOT NULL,
    application_version text,
    application_id text,
    class_name character varying(255) DEFAULT NULL::character varying,
    config_name character varying(255) DEFAULT NULL::character varying,
    recovery_attempts bigint DEFAULT 0,
    queue_name text,
    workflow_timeout_ms bigint,
    workflow_deadline_epoch_ms bigint,
    inputs text,
    started_at_epoch_ms bigint,
    deduplication_id text,
    priority integer DEFAULT 0 NOT NULL,
    queue_partition_key text,
    forked_from text,
    owner_xid text,
    parent_workflow_id text,
    serialization text,
    delay_until_epoch_ms bigint,
    was_forked_from boolean DEFAULT false NOT NULL,
    rate_limited boolean DEFAULT false NOT NULL,
    completed_at bigint,
    attributes jsonb,
    schedule_name text,
    debounce_deadline_epoch_ms bigint,
    is_debounced boolean DEFAULT false NOT NULL,
    application_name text,
    creator_xid text
);


--
-- Name: arc_approvals; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.arc_approvals (
    run_id text NOT NULL,
    key text NOT NULL,
    request text NOT NULL,
    since character varying(32) NOT NULL,
    until character varying(32),
    decision text,
    decided_by text,
    decided_at character varying(32)
);


--
-- Name: arc_run_events; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.arc_run_events (
    run_id text NOT NULL,
    number bigint NOT NULL,
    before bigint NOT NULL,
    last bigint NOT NULL,
    body bytea NOT NULL
);


--
-- Name: arc_run_schema; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.arc_run_schema (
    version integer NOT NULL
);


--
-- Name: arc_run_schema_version_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.arc_run_schema_version_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: arc_run_schema_version_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.arc_run_schema_version_seq OWNED BY public.arc_run_schema.version;


--
-- Name: arc_run_steps; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.arc_run_steps (
    run_id text NOT NULL,
    key text NOT NULL,
    value text NOT NULL,
    at character varying(32) NOT NULL
);


--
-- Name: arc_runs; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.arc_runs (
    run_id text NOT NULL,
    layout text NOT NULL,
    state character varying(16) NOT NULL,
    queue text NOT NULL,
    tenant text,
    command text NOT NULL,
    deps text,
    ticket integer NOT NULL,
    carried boolean NOT NULL,
    executor text,
    life text,
    crashes integer NOT NULL,
    cancelling boolean NOT NULL,
    told bigint NOT NULL,
    not_before character varying(32),
    created_at character varying(32) NOT NULL,
    finished_at character varying(32),
    result text
);


--
-- Name: arc_run_schema version; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.arc_run_schema ALTER COLUMN version SET DEFAULT nextval('public.arc_run_schema_version_seq'::regclass);


--
-- Data for Name: application_versions; Type: TABLE DATA; Schema: arc_dbos; Owner: -
--

INSERT INTO arc_dbos.application_versions VALUES ('4cb0d5c7-24ee-41fb-9b5c-1f6c552a3f34', 'arc-1', 1795647307486, 1795647307486, 'arc');


--
-- Data for Name: dbos_migrations; Type: TABLE DATA; Schema: arc_dbos; Owner: -
--

INSERT INTO arc_dbos.dbos_migrations VALUES (125);


--
-- Data for Name: event_dispatch_kv; Type: TABLE DATA; Schema: arc_dbos; Owner: -
--



--
-- Data for Name: notifications; Type: TABLE DATA; Schema: arc_dbos; Owner: -
--



--
-- Data for Name: operation_outputs; Type: TABLE DATA; Schema: arc_dbos; Owner: -
--



--
-- Data for Name: queues; Type: TABLE DATA; Schema: arc_dbos; Owner: -
--

INSERT INTO arc_dbos.queues VALUES ('abb61dcf-546f-4c54-9761-91568cb22bcb', 'default', NULL, 1, NULL, NULL, true, false, 0.25, 1795647307551, 1795647322404, 'arc', NULL, NULL, NULL, NULL);


--
-- Data for Name: streams; Type: TABLE DATA; Schema: arc_dbos; Owner: -
--



--
-- Data for Name: workflow_events; Type: TABLE DATA; Schema: arc_dbos; Owner: -
--



--
-- Data for Name: workflow_events_history; Type: TABLE DATA; Schema: arc_dbos; Owner: -
--



--
-- Data for Name: workflow_input; Type: TABLE DATA; Schema: arc_dbos; Owner: -
--

INSERT INTO arc_dbos.workflow_input VALUES ('finished-plain:1', '{"args": ["finished-plain", 1], "kwargs": {}}', 1795647307741);
INSERT INTO arc_dbos.workflow_input VALUES ('finished-parallel:1', '{"args": ["finished-parallel", 1], "kwargs": {}}', 1795647309037);
INSERT INTO arc_dbos.workflow_input VALUES ('finished-delegate:1', '{"args": ["finished-delegate", 1], "kwargs": {}}', 1795647309357);
INSERT INTO arc_dbos.workflow_input VALUES ('failed:1', '{"args": ["failed", 1], "kwargs": {}}', 1795647310009);
INSERT INTO arc_dbos.workflow_input VALUES ('finished-paid:1', '{"args": ["finished-paid", 1], "kwargs": {}}', 1795647310335);
INSERT INTO arc_dbos.workflow_input VALUES ('waiting:1', '{"args": ["waiting", 1], "kwargs": {}}', 1795647310612);
INSERT INTO arc_dbos.workflow_input VALUES ('waiting-below:1', '{"args": ["waiting-below", 1], "kwargs": {}}', 1795647310827);
INSERT INTO arc_dbos.workflow_input VALUES ('denied:1', '{"args": ["denied", 1], "kwargs": {}}', 1795647311158);
INSERT INTO arc_dbos.workflow_input VALUES ('decided:1', '{"args": ["decided", 1], "kwargs": {}}', 1795647311377);
INSERT INTO arc_dbos.workflow_input VALUES ('cancelled:1', '{"args": ["cancelled", 1], "kwargs": {}}', 1795647311675);
INSERT INTO arc_dbos.workflow_input VALUES ('finished-paid:2', '{"args": ["finished-paid", 2], "kwargs": {}}', 1795647312045);
INSERT INTO arc_dbos.workflow_input VALUES ('denied:2', '{"args": ["denied", 2], "kwargs": {}}', 1795647312285);
INSERT INTO arc_dbos.workflow_input VALUES ('running:1', '{"args": ["running", 1], "kwargs": {}}', 1795647322629);
INSERT INTO arc_dbos.workflow_input VALUES ('queued-carried:1', '{"args": ["queued-carried", 1], "kwargs": {}}', 1795647323833);
INSERT INTO arc_dbos.workflow_input VALUES ('queued-delegate:1', '{"args": ["queued-delegate", 1], "kwargs": {}}', 1795647323841);
INSERT INTO arc_dbos.workflow_input VALUES ('decided:2', '{"args": ["decided", 2], "kwargs": {}}', 1795647323878);


--
-- Data for Name: workflow_output; Type: TABLE DATA; Schema: arc_dbos; Owner: -
--

INSERT INTO arc_dbos.workflow_output VALUES ('finished-plain:1', 'null', NULL, 1795647309002);
INSERT INTO arc_dbos.workflow_output VALUES ('finished-parallel:1', 'null', NULL, 1795647309338);
INSERT INTO arc_dbos.workflow_output VALUES ('finished-delegate:1', 'null', NULL, 1795647309960);
INSERT INTO arc_dbos.workflow_output VALUES ('failed:1', 'null', NULL, 1795647310278);
INSERT INTO arc_dbos.workflow_output VALUES ('finished-paid:1', 'null', NULL, 1795647310540);
INSERT INTO arc_dbos.workflow_output VALUES ('waiting:1', 'null', NULL, 1795647310782);
INSERT INTO arc_dbos.workflow_output VALUES ('waiting-below:1', 'null', NULL, 1795647311116);
INSERT INTO arc_dbos.workflow_output VALUES ('denied:1', 'null', NULL, 1795647311345);
INSERT INTO arc_dbos.workflow_output VALUES ('decided:1', 'null', NULL, 1795647311658);
INSERT INTO arc_dbos.workflow_output VALUES ('cancelled:1', 'null', NULL, 1795647311905);
INSERT INTO arc_dbos.workflow_output VALUES ('finished-paid:2', 'null', NULL, 1795647312222);
INSERT INTO arc_dbos.workflow_output VALUES ('denied:2', 'null', NULL, 1795647312512);


--
-- Data for Name: workflow_schedules; Type: TABLE DATA; Schema: arc_dbos; Owner: -
--



--
-- Data for Name: workflow_status; Type: TABLE DATA; Schema: arc_dbos; Owner: -
--

INSERT INTO arc_dbos.workflow_status VALUES ('finished-plain:1', 'SUCCESS', 'arc_run', NULL, NULL, NULL, NULL, NULL, NULL, 'worker-1', 1795647307741, 1795647309002, 'arc-1', '', NULL, NULL, 1, 'default', NULL, NULL, NULL, 1795647308836, NULL, 0, '-', NULL, NULL, NULL, 'arc_json', NULL, false, false, 1795647309002, 'null', NULL, NULL, false, 'arc', '2efbe53d-915a-4a2e-a22e-9ab0c6bce35e');
INSERT INTO arc_dbos.workflow_status VALUES ('finished-parallel:1', 'SUCCESS', 'arc_run', NULL, NULL, NULL, NULL, NULL, NULL, 'worker-1', 1795647309037, 1795647309338, 'arc-1', '', NULL, NULL, 1, 'default', NULL, NULL, NULL, 1795647309183, NULL, 0, '-', NULL, NULL, NULL, 'arc_json', NULL, false, false, 1795647309338, 'null', NULL, NULL, false, 'arc', '0c1d59f0-6afb-4037-ad2a-cbca2352ce85');
INSERT INTO arc_dbos.workflow_status VALUES ('finished-delegate:1', 'SUCCESS', 'arc_run', NULL, NULL, NULL, NULL, NULL, NULL, 'worker-1', 1795647309357, 1795647309960, 'arc-1', '', NULL, NULL, 1, 'default', NULL, NULL, NULL, 1795647309532, NULL, 0, '-', NULL, NULL, NULL, 'arc_json', NULL, false, false, 1795647309960, 'null', NULL, NULL, false, 'arc', 'bb3046e6-a70d-43d6-9827-292156a7582f');
INSERT INTO arc_dbos.workflow_status VALUES ('failed:1', 'SUCCESS', 'arc_run', NULL, NULL, NULL, NULL, NULL, NULL, 'worker-1', 1795647310009, 1795647310278, 'arc-1', '', NULL, NULL, 1, 'default', NULL, NULL, NULL, 1795647310116, NULL, 0, '-', NULL, NULL, NULL, 'arc_json', NULL, false, false, 1795647310278, 'null', NULL, NULL, false, 'arc', '35af5548-ec1f-425e-8472-ab9623a6136f');
INSERT INTO arc_dbos.workflow_status VALUES ('finished-paid:1', 'SUCCESS', 'arc_run', NULL, NULL, NULL, NULL, NULL, NULL, 'worker-1', 1795647310335, 1795647310540, 'arc-1', '', NULL, NULL, 1, 'default', NULL, NULL, NULL, 1795647310413, NULL, 0, '-', NULL, NULL, NULL, 'arc_json', NULL, false, false, 1795647310540, 'null', NULL, NULL, false, 'arc', 'b68531b9-b047-47c5-99c9-80bed8a968b6');
INSERT INTO arc_dbos.workflow_status VALUES ('waiting:1', 'SUCCESS', 'arc_run', NULL, NULL, NULL, NULL, NULL, NULL, 'worker-1', 1795647310612, 1795647310782, 'arc-1', '', NULL, NULL, 1, 'default', NULL, NULL, NULL, 1795647310703, NULL, 0, '-', NULL, NULL, NULL, 'arc_json', NULL, false, false, 1795647310782, 'null', NULL, NULL, false, 'arc', '0a397dec-4502-4cc9-aa7d-57ac0f363cac');
INSERT INTO arc_dbos.workflow_status VALUES ('waiting-below:1', 'SUCCESS', 'arc_run', NULL, NULL, NULL, NULL, NULL, NULL, 'worker-1', 1795647310827, 1795647311116, 'arc-1', '', NULL, NULL, 1, 'default', NULL, NULL, NULL, 1795647310976, NULL, 0, '-', NULL, NULL, NULL, 'arc_json', NULL, false, false, 1795647311116, 'null', NULL, NULL, false, 'arc', '59513b40-ea45-4431-a2b4-89c8d2669890');
INSERT INTO arc_dbos.workflow_status VALUES ('denied:1', 'SUCCESS', 'arc_run', NULL, NULL, NULL, NULL, NULL, NULL, 'worker-1', 1795647311158, 1795647311345, 'arc-1', '', NULL, NULL, 1, 'default', NULL, NULL, NULL, 1795647311249, NULL, 0, '-', NULL, NULL, NULL, 'arc_json', NULL, false, false, 1795647311345, 'null', NULL, NULL, false, 'arc', '4ec9a440-3d5d-4ec2-95c5-ab378b0b0762');
INSERT INTO arc_dbos.workflow_status VALUES ('decided:1', 'SUCCESS', 'arc_run', NULL, NULL, NULL, NULL, NULL, NULL, 'worker-1', 1795647311377, 1795647311658, 'arc-1', '', NULL, NULL, 1, 'default', NULL, NULL, NULL, 1795647311509, NULL, 0, '-', NULL, NULL, NULL, 'arc_json', NULL, false, false, 1795647311658, 'null', NULL, NULL, false, 'arc', '82839a87-a7d4-40f4-ae66-87410088d55d');
INSERT INTO arc_dbos.workflow_status VALUES ('cancelled:1', 'SUCCESS', 'arc_run', NULL, NULL, NULL, NULL, NULL, NULL, 'worker-1', 1795647311675, 1795647311905, 'arc-1', '', NULL, NULL, 1, 'default', NULL, NULL, NULL, 1795647311809, NULL, 0, '-', NULL, NULL, NULL, 'arc_json', NULL, false, false, 1795647311905, 'null', NULL, NULL, false, 'arc', '94ffec2e-757e-469f-84f3-929abaacb882');
INSERT INTO arc_dbos.workflow_status VALUES ('finished-paid:2', 'SUCCESS', 'arc_run', NULL, NULL, NULL, NULL, NULL, NULL, 'worker-1', 1795647312045, 1795647312222, 'arc-1', '', NULL, NULL, 1, 'default', NULL, NULL, NULL, 1795647312098, NULL, 0, '-', NULL, NULL, NULL, 'arc_json', NULL, false, false, 1795647312222, 'null', NULL, NULL, false, 'arc', '6f25ba86-2e3e-4cad-b42d-0af883dec971');
INSERT INTO arc_dbos.workflow_status VALUES ('denied:2', 'SUCCESS', 'arc_run', NULL, NULL, NULL, NULL, NULL, NULL, 'worker-1', 1795647312285, 1795647312512, 'arc-1', '', NULL, NULL, 1, 'default', NULL, NULL, NULL, 1795647312379, NULL, 0, '-', NULL, NULL, NULL, 'arc_json', NULL, false, false, 1795647312512, 'null', NULL, NULL, false, 'arc', 'eed0d553-bd7e-4d69-9fde-31760c086deb');
INSERT INTO arc_dbos.workflow_status VALUES ('running:1', 'PENDING', 'arc_run', NULL, NULL, NULL, NULL, NULL, NULL, 'worker-1', 1795647322629, 1795647322721, 'arc-1', '', NULL, NULL, 1, 'default', NULL, NULL, NULL, 1795647322721, NULL, 0, '-', NULL, '37a4332c-5940-42c5-aa1d-fd234cc33e3d', NULL, 'arc_json', NULL, false, false, NULL, 'null', NULL, NULL, false, 'arc', '39cddd0c-90b4-402f-b784-3b7c27b528b0');
INSERT INTO arc_dbos.workflow_status VALUES ('queued-carried:1', 'ENQUEUED', 'arc_run', NULL, NULL, NULL, NULL, NULL, NULL, 'worker-1', 1795647323833, 1795647323833, 'arc-1', '', NULL, NULL, 0, 'default', NULL, NULL, NULL, NULL, NULL, 0, '-', NULL, NULL, NULL, 'arc_json', NULL, false, false, NULL, 'null', NULL, NULL, false, 'arc', '45bea4a4-92c3-434a-85d0-bc02367193ee');
INSERT INTO arc_dbos.workflow_status VALUES ('queued-delegate:1', 'ENQUEUED', 'arc_run', NULL, NULL, NULL, NULL, NULL, NULL, 'worker-1', 1795647323841, 1795647323841, 'arc-1', '', NULL, NULL, 0, 'default', NULL, NULL, NULL, NULL, NULL, 0, '-', NULL, NULL, NULL, 'arc_json', NULL, false, false, NULL, 'null', NULL, NULL, false, 'arc', '12e7be21-ce88-4748-ab81-28392d3b4b7a');
INSERT INTO arc_dbos.workflow_status VALUES ('decided:2', 'ENQUEUED', 'arc_run', NULL, NULL, NULL, NULL, NULL, NULL, 'worker-1', 1795647323878, 1795647323878, 'arc-1', '', NULL, NULL, 0, 'default', NULL, NULL, NULL, NULL, NULL, 0, '-', NULL, NULL, NULL, 'arc_json', NULL, false, false, NULL, 'null', NULL, NULL, false, 'arc', 'b02fc876-33cd-47f4-b988-2a67ee1f923f');


--
-- Data for Name: arc_approvals; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.arc_approvals VALUES ('waiting', 'approve/1', '{"v":1,"type":"approval_request","run_id":"waiting","key":"approve/1","tool":"pay","arguments":{"item":"pay"},"agent":"clerk","user_id":"ann","since":"2026-11-25T22:55:10.748449+00:00","arguments_hash":"c7185971233de79053bbdbf584387e3abf6fbe04bb6e4243e0c4d158a0554c7b","is_checked":true}', '2026-11-25T22:55:10.748449Z', NULL, NULL, NULL, NULL);
INSERT INTO public.arc_approvals VALUES ('waiting-below', 'tool/0/approve/0', '{"v":1,"type":"approval_request","run_id":"waiting-below","key":"tool/0/approve/0","tool":"pay","arguments":{"item":"buyer pays"},"agent":"buyer","user_id":"ann","since":"2026-11-25T22:55:11.068143+00:00","arguments_hash":"b56fc64eedf639ad77d57cd13aa2c0e11211db427635bd9cfbeaefaa3d3c3cec","is_checked":true}', '2026-11-25T22:55:11.068143Z', NULL, NULL, NULL, NULL);
INSERT INTO public.arc_approvals VALUES ('cancelled', 'approve/1', '{"v":1,"type":"approval_request","run_id":"cancelled","key":"approve/1","tool":"pay","arguments":{"item":"pay"},"agent":"clerk","user_id":"ann","since":"2026-11-25T22:55:11.865199+00:00","arguments_hash":"c7185971233de79053bbdbf584387e3abf6fbe04bb6e4243e0c4d158a0554c7b","is_checked":true}', '2026-11-25T22:55:11.865199Z', NULL, NULL, NULL, NULL);
INSERT INTO public.arc_approvals VALUES ('finished-paid', 'approve/1', '{"v":1,"type":"approval_request","run_id":"finished-paid","key":"approve/1","tool":"pay","arguments":{"item":"pay"},"agent":"clerk","user_id":"ann","since":"2026-11-25T22:55:10.493376+00:00","arguments_hash":"c7185971233de79053bbdbf584387e3abf6fbe04bb6e4243e0c4d158a0554c7b","is_checked":true}', '2026-11-25T22:55:10.493376Z', NULL, '{"v":1,"type":"decision","answer":{"type":"approve"},"by":"carol","at":"2026-11-25T22:55:11.972991+00:00","arguments_hash":"c7185971233de79053bbdbf584387e3abf6fbe04bb6e4243e0c4d158a0554c7b"}', 'carol', '2026-11-25T22:55:11.972991Z');
INSERT INTO public.arc_approvals VALUES ('denied', 'approve/1', '{"v":1,"type":"approval_request","run_id":"denied","key":"approve/1","tool":"pay","arguments":{"item":"pay"},"agent":"clerk","user_id":"ann","since":"2026-11-25T22:55:11.302608+00:00","arguments_hash":"c7185971233de79053bbdbf584387e3abf6fbe04bb6e4243e0c4d158a0554c7b","is_checked":true}', '2026-11-25T22:55:11.302608Z', NULL, '{"v":1,"type":"decision","answer":{"type":"deny","reason":"no"},"by":"carol","at":"2026-11-25T22:55:12.248053+00:00","arguments_hash":"c7185971233de79053bbdbf584387e3abf6fbe04bb6e4243e0c4d158a0554c7b"}', 'carol', '2026-11-25T22:55:12.248053Z');
INSERT INTO public.arc_approvals VALUES ('decided', 'approve/1', '{"v":1,"type":"approval_request","run_id":"decided","key":"approve/1","tool":"pay","arguments":{"item":"pay"},"agent":"clerk","user_id":"ann","since":"2026-11-25T22:55:11.609533+00:00","arguments_hash":"c7185971233de79053bbdbf584387e3abf6fbe04bb6e4243e0c4d158a0554c7b","is_checked":true}', '2026-11-25T22:55:11.609533Z', NULL, '{"v":1,"type":"decision","answer":{"type":"approve"},"by":"carol","at":"2026-11-25T22:55:23.833468+00:00","arguments_hash":"c7185971233de79053bbdbf584387e3abf6fbe04bb6e4243e0c4d158a0554c7b"}', 'carol', '2026-11-25T22:55:23.833468Z');


--
-- Data for Name: arc_run_events; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.arc_run_events VALUES ('finished-plain', 1, 0, 1, '\x789c8bae562a53b232d4512aa92c4855b2524a4c4fcd2b892f2e492c2a494d51d281f081e2c939a945d9407e51695e7c660a50202d332fb338233545b7202731330f28539c5a0834a83616005cf21b17');
INSERT INTO public.arc_run_events VALUES ('finished-plain', 2, 1, 2, '\x789c8b8e564acbcccb2cce484dd12dc849cccc53d231d28956ca48cdc9c9d7538a8d8d0500c1860b08');
INSERT INTO public.arc_run_events VALUES ('finished-plain', 3, 2, 3, '\x789c358b4b0a80201445f77269688368f6b62212922f12c4cc1f84b4f7a4687a3eb2a18226817c05062116bf6cd6dbb4b38140e4545c06350c91d7239a4e49e22bbaafda1586bac53bda2ef1df6370dafade243e41f3ad1e87c223d9');
INSERT INTO public.arc_run_events VALUES ('finished-parallel', 1, 0, 1, '\x789c8bae562a53b232d4512aa92c4855b2524a4c4fcd2b892f2e492c2a494d51d281f081e2c939a945d9407e51695e7c660a50202d332fb338233545b720b128312727350728599c5a0834ab361600b4ad1c50');
INSERT INTO public.arc_run_events VALUES ('finished-parallel', 2, 1, 5, '\x789cad90dd6a032110855fa50cbddcb46ab249f455b26191386da5ae26fe04cab2efde3110721152b6b45e39c773c68fb31be10c8a3790bf8e080a7208ae3f68e7fa9475cc68a0813a821aef2cf4640d09f5be6034793d54c39bf535a6e37b19d0e744d2d881cd3874a09e3a38ea4809741d4c3035108bef2f7b2867d3079ac5d5404b129e4089a97988790d9137622a2e57d2e78887100da96a77f1be56bcb376056fbe3dfd6d4ad4d906df0f44c95e18172d5b4a29b76b2964db7231076ff903de2f5be4b7165d089fffdae2eaef2df2792db2f546084667cb38dff0159f83d74efb6f152bd3f8');
INSERT INTO public.arc_run_events VALUES ('finished-parallel', 3, 5, 6, '\x789ced92310a80300c00bf1232d7d5419f523a149ada6248a4adf87d1d2c7e41d0e9386e3d6b3166c9355118365f3c33319ad158ec3641d45d0274872cd012416d5ac880de9688e39fbe9ee66713565d2b2caa01fcb58fd0f15aa273ee046f380d93');
INSERT INTO public.arc_run_events VALUES ('finished-parallel', 4, 6, 7, '\x789c358b4d0a80201046eff2d1d216ad82b94a48484e240c56630a11dd3d29dabe9fe142017506c7b931089ae3388718d2c21e06ca29cb01bad0284fabfa4a69c057545f9c6486bdcd3b862af1dfede6d489b0d42cf10eea6ffb00f9c92516');
INSERT INTO public.arc_run_events VALUES ('finished-delegate', 1, 0, 1, '\x789c8bae562a53b232d4512aa92c4855b2524a4c4fcd2b892f2e492c2a494d51d281f081e2c939a945d9407e51695e7c660a50202d332fb33823354537253527353db1241528599c5a0834ab361600b3751c3e');
INSERT INTO public.arc_run_events VALUES ('finished-delegate', 2, 1, 4, '\x789cad91cd6e833010845f255af508adcd4f49799510a1056f288ac1a96d22458877ef42455309a9cda137cfec78fcd93e8c70855c06e06f17821cbc31baac51ebd279b49e1404304bc8c74d8447ad62635e8782558fdd1c40772eabe146962db4cdd051ef1dfb63019e6705e4bb0296c0eed4f6ca1530c114801dfa72e963b375efa442459a1af4c43d8e3e208fa6e0bf70e51d571b73de92b69eba2fd295e261ccf817cc7513672db941fb99f4c9526dac62373f2cd99719ef8a7aa07beec867abc1a26f4d5f764c299e8594f1ab1442c8384e932c4e1fa14b3674d8f0b57f3ce0a2d95ffff0bb93de52ac6b926194290c53118910937d155611db49754ab36ccff90bdab9f06f14391d3f01b345cfda');
INSERT INTO public.arc_run_events VALUES ('finished-delegate', 3, 4, 4, '\x789c9d8fcb6ec32010457f251a75691ae2878cf99538b2b099b44818273c224596ffbd83bbc822eaa66c602e87abc3798507c85301f17943901097c50e93b2760851f9881a0ac823c8f50da12ba329c867c669726acec0d5b8fc4cf9af34a38b81a2b5071371ee411e7a18d313fd2153a1870db6027c72c35e855da3a6094fac6cb5620d2f3953b518d958525c8fd7a66d055507bc832cb7e24f792a37e17bb7f718928dd9ffc3e3b4784da93cefec911f7f37c21eca267ce117b2d2c9ab681637ccf405fec97957d582d3aa45cbabaa13ff14afb6cb0f6c6173ff');
INSERT INTO public.arc_run_events VALUES ('finished-delegate', 4, 4, 4, '\x789cedc94b0a80201440d1ad3c1c2b94285a5b11077e9e288442daa0ddd7a0417ba8e13dd718828b7421e0ccb88a8ec9894fcc09ed99e7370b9fa4529a50410df1c7893ba452635f21b5a3467811940a2323f4d176a4d09ecab8a57f7d7d116bed056c89d437');
INSERT INTO public.arc_run_events VALUES ('finished-delegate', 5, 4, 4, '\x789c25cbed0a83201886e17379d84f2593c4e6a9440c3fde9820b59906233af7c9f6f7e6baa713074ccf503e2f8241aeeb63896bdc9f14c09069afa9c09cb865f25b0ead9a0965db5227ba3f6cecb0a912e68bfdfed80ce8aeacf7d473a983e54a48c1ed303aee64cb835b94d6633b777ac3a86bfe02d31d2a96');
INSERT INTO public.arc_run_events VALUES ('finished-delegate', 6, 4, 5, '\x789c458d5b0ac2301444f732f81935a54aeddd4a292134570dc444f32848e9de4d05713e670e67860533a811c8ef27839043706ad2cea9abf536ddd94020722a2e8316ec224f219adad2f0658fb2eeb37685ffdcb80a981275b6c1ab4702f5f2d09dfa46b6724bd75e2a5abcb2d582dfcddeb0e39bce9b27f10b745ec70feaa032c1');
INSERT INTO public.arc_run_events VALUES ('finished-delegate', 7, 5, 6, '\x789ced92310ac3301443af223c3b6b07f728c643c2976313e30fb14de9ed9ba1811c21d04ee2e96994f726e69a5ba24cc2c275ee34f661bd39c961196fee3866d21ca28e2ad70ab9a227a275dd69a15f4a2cf1af7e5d3d71de0845756b585505f3f1a0cad76dd384103ea02b1320');
INSERT INTO public.arc_run_events VALUES ('finished-delegate', 8, 6, 7, '\x789c358b390a80301444ef3258c6c24af857119160460d04976c20e2dd0d8aed5bba0b19d228c47327043eadc364571b161a287886e422e442e5396ede142a1dbea2f8ac5d22fa5bbda32d12ff5d1b3ace3ab2648107a4bdfb07f8912504');
INSERT INTO public.arc_run_events VALUES ('failed', 1, 0, 1, '\x789c8bae562a53b232d4512aa92c4855b2524a4c4fcd2b892f2e492c2a494d51d281f081e2c939a945d9407e51695e7c660a50202d313307aca238b51068406d2c00855117f1');
INSERT INTO public.arc_run_events VALUES ('failed', 2, 1, 2, '\x789c258b4b0a80201445f77269e8a4866f2b2221f92441acfc41887b4f6c7a3eb2a1825681fcde0c422c61b72eb874b28140e4547c06352c918f2b9a4149e22f86afda1786ea628e6e4858edfc7c133fa0adab0f6a1e20b2');
INSERT INTO public.arc_run_events VALUES ('finished-paid', 1, 0, 1, '\x789c8bae562a53b232d4512aa92c4855b2524a4c4fcd2b892f2e492c2a494d51d281f081e2c939a945d9407e51695e7c660a50202d332fb338233545b7203113a4b038b510684e6d2c003fd31aa1');
INSERT INTO public.arc_run_events VALUES ('finished-paid', 2, 1, 4, '\x789c8552cb6ec23010fc95caeaada1f899047f476f802227d99088bcb01d2484f8f7ae53dad2a2169fecf1ccceecdaeb333912cd22e24f23104dfc30b45961da3673de580f25894838127dbea3e055532210f60b8aa7de748150357d9019bb9b3ae8bd43e8bc218d876e43f4d3868ce6b421177289889dfa6c2e8192c6d5502e46d304ad8303d1fc12fd99ee53805c0b6e6a7d08f86ca1186c89a85ecfdc65487534ed04dfbc2dfa969335be19faacc370f4953291ca9886c562b912097f144ddc4533e36807b4ca2c1c2670fe1a6ddedf0cef378dfce3b487d39702960c91d0134238c09ff33dcfd3bdde607f668778789916ec1ea99303fbe161fa3ef4d0f44548c3298f178c2db87ae35c2ba5197dc5fe4512bf50aa29bd75c96ae3ea503361a95a258c0b5142b2a24ae47999572a95224d4098bc8aab1ca8ccf31824970268214ba6524395924592875fe3b2a286621f1ecadb091efe0479d9be03229cd793');
INSERT INTO public.arc_run_events VALUES ('waiting', 1, 0, 1, '\x789c8bae562a53b232d4512aa92c4855b2524a4c4fcd2b892f2e492c2a494d51d281f081e2c939a945d9407e51695e7c660a50a03c31b324332f1d28549c5a0834a1361600a15a187f');
INSERT INTO public.arc_run_events VALUES ('waiting', 2, 1, 4, '\x789c7d92dd72832010855fa5c3f4aef95914a2e1397a17330eea1a9d282680e9643279f72e36d3a64ddb3b381c763fceb2b9b013537cc6fcf9804c313f0c5d5eeaaecb9dd7d663c5662c6c99ba3c58e8a8ad4808eb39d0cee83e18ead6846bdaeec61e8d77245d32d67aec33a69e3276d0e78c5dd975c6ec68f2a9c49b6e7d6b7674cbe191a9e83afb938baab7ae99c02cbab1f301edd96239d88a54b599bccbc073d2dd885fbe2d75ac46ab7d3b98bc272c5800acd3640d009c27121219ffcd143f30e9c3c10ed423b7781cd1f91bd3b4becbeba78dfdda638fe74f2f2e3929e11924515adfc3bc4c51de4ee8497a477a184387764fd6d1a1fda8ae8d09f4ad29034704d16acef93c92af51a4a4541c1689488558bf002880fb2e79a35d136a263c95eb8447715c210525e3a2a88a5aa6224e138c7551afea024114c50a4524628452545ca61aa4146552842fe2f2b2c1721f66e3ed88ff8c5d5cb7ef7594cee7');
INSERT INTO public.arc_run_events VALUES ('waiting-below', 1, 0, 1, '\x789c8bae562a53b232d4512aa92c4855b2524a4c4fcd2b892f2e492c2a494d51d281f081e2c939a945d9407e51695e7c660a50a03c31b324332f5d37293527bf1c28519c5a0834a736160041ca1ac5');
INSERT INTO public.arc_run_events VALUES ('waiting-below', 2, 1, 4, '\x789cad91c16ec23010447f05ad7a4cda98246dc8af10142d78492d1c1b6c0784a2fc7bd7a95a2a21d11eea93673c9a7db6d7239ca1160984eb91a08660ad6e77a875eb03ba4012128812eaf12ec2474ab211f769c6ca601f03e80fed76b892630b5d37f46482677f6c20f05903f5a28139b038e2d53730c194801b4c3bd75d500565ba744bda5eb8c2d309eae594fc17a9b8916a6b0ff7902a50ff09294953878116686464fd136afe0075af8cf2ef33ab233fe810699f1cedac93ecd6eb39fb1211cfa807bae5363c570e0e83b2a6ed99347bce4456e6595c652172b17afd8dacb823c38eaffde30167cdfed7f77df7bd0951545545298f11694945995652224b5a15a52868b9df73fe882e163ec610d3e6039ea9cb59');
INSERT INTO public.arc_run_events VALUES ('waiting-below', 3, 4, 4, '\x789c7590dd6e83300c855f65caedca1ae7879f3cc7eea60999c4b4a8142809ad50d5779f5137a937bbcbf177ece3f8eb2eaec2c14ea47522e1044ed33c5eb1af67ba2c141305b113bf6fe1eeffd936d332d45d6076c32e75c3216ba81f6f0c4eb472358d63bf97fb6723ed2583adc464c29505ce87e54c438a5b4a97e8cca459569adf9847f160c781f15f953b9648f33311878175ec06bfeda6a4ca33804cd94fa59cb50ee043e62518fd2ea593f235ac3e623c6e336ddefadc108536d71586a208b6f00134a2f292001440688c2a726d9b50f9b621a4165107edb527cf33bb58fb23f9135fcca579a1c7cb490a005396256550e5905932362b43409654190b8654db6e3fa08b70eaf1fd0387797e3c');
INSERT INTO public.arc_run_events VALUES ('denied', 1, 0, 1, '\x789c8bae562a53b232d4512aa92c4855b2524a4c4fcd2b892f2e492c2a494d51d281f081e2c939a945d9407e51695e7c660a502025352f13aca238b51068406d2c00859017f5');
INSERT INTO public.arc_run_events VALUES ('denied', 2, 1, 4, '\x789c7592dd72823010855fa593e95db1e65720cfd13b719800ab3262c02438e330be7b37d4696dad5c2527873d5f76b39ec8996896907019806812fabe2b6bd375a50fc605684842e296e8e9c182476d83425c2f28eeac3946c3b6b5f137e376e3116cf0284d0569031c0ba25f0a32984b41aee49a1037da722ed1806de72c0f27a2f935798a85c55bbf9fbd0efcd88548f6eaa0ee5d83aa5ecfde65c4399b6e841fdf06039bd199d0f6b63c22157da734cf459ae3273341575cf2a74ce281c90c83eb31a374701ac1871bd3bcbe6bd75f1bf92fe200976f2b2c192af1162861af7eb7729a1b793bc11b991dea71081db8035a470feeabb8b136c2b7b68e189cf2d582b105571f9c6ba53463ef02359abd51aa29bd4f29f7c6ef63cd94652a4f1917a28134a74a5455536d552645968230d576b5ad80caaa5a81e45200ad65c35466a852b24eabf8407c59efa13ec4d10437c2f3a1cbebe613f447ccfe');
INSERT INTO public.arc_run_events VALUES ('decided', 1, 0, 1, '\x789c8bae562a53b232d4512aa92c4855b2524a4c4fcd2b892f2e492c2a494d51d281f081e2c939a945d9407e51695e7c660a50202535393305aca438b51068426d2c009e64184e');
INSERT INTO public.arc_run_events VALUES ('decided', 2, 1, 4, '\x789c7d52cb6ec32010fc950af5562701037ef01dbdc59105f63ab6e25700478a2cff7bc18ddab469ca098661667697fd8c2e489000d9eb0848203b0c6d5ec8b6cd8d95da428902e48f48cc0f1477d5940ef0fb0d76a75e769e5035bd7f26f571eaa0b7c64173861a0b5d86c44b864679cdd0829600e9a9cf5789128aa65ccd0c9c910897e0692ea7de987ae56a30536b7db4570dc5a0bd82d8afdc9dcf7391ed04dfbc83732c272d6d33f479e762e12dc629a331768b44691233f63c137dc824c7510fce23d7709ec0d85ba6757fd7afdf34f4a7c709ae5f5cd81187f8321ce4baf5b399f3dacadb8d2b491e1deec7d0823e39ea64407faacbbef7e99bbef039421c461b4236217f0f43c1b920641be19453fa86b1c0f8de25afa5a9bd664c129ec624a4b48438c59c2a55aa8a278c263150a9aaa85280995211b09051c0052b094f24e69c15b1f25fc4e4450dc5c9cfc6ea09fe193b5b0e1f8f4fce1a');
INSERT INTO public.arc_run_events VALUES ('cancelled', 1, 0, 1, '\x789c8bae562a53b232d4512aa92c4855b2524a4c4fcd2b892f2e492c2a494d51d281f081e2c939a945d9407e51695e7c660a4820312f39352707aca838b51068466d2c00d37a1927');
INSERT INTO public.arc_run_events VALUES ('cancelled', 2, 1, 4, '\x789c7d52cb6ec23010fc95caeaad01d64e4c127f476f04454eb29088bcb01d2484f8f7ae53d4d222b8ed8ec733e35d6f2eecc4140f983b8fc81473c3d0e6a56edbdc3a6d1c562c60be65eaf240a1a3a622c0d70ba0aed79d27ec9ade5fd3663f75d83b4bd025638dc32e63ea2d63a33e67eccaae0133539fdf24fa12db76b6b378644a5c83a7c948bfb1f5cc3568a7d6f970ef06cbc15484aacdcc5df94427dd4ef8cbdb92673519ed9aa1cf3b0a064b80948b180038173c049ebe4a153ea4d2e3680672c90d1e27b4ee966aaeef66f69fc69eb81cf0fcc3c61527c43f85209ad9df915ee681de4ee8597a4fb8576bd11c883a5934dffabaef7dfe865ca81320d60bce17427e0aa1a4549c2f93b5e469fa01a000ee5df25adbda6bc63c9169cc45185618a720c3a2a88a9d4ca2308931d4c56ebd2b10a2a2586324a210a18c2a2e130d5246655cf88f62f3b2c6f2e0f7e3cc842f971f5db75ffed2d171');
INSERT INTO public.arc_run_events VALUES ('finished-paid', 3, 4, 6, '\x789c858f4b0e82301086af42660d064c78f52ad6340dadda045a6c071342b8bb53d48d46ddf57f4ce79bc3023760450a388f1a18a073bde864df8b80d2a356904294c0968f0a45469111df5941caca211646399390fe3c0dda622067e160500f1c58c263cc618535053f59b1fd7032d6848b56d9284ddc18f41558b9a65fe15e03d4f53a4c3dbef33ddd07bcf881d9398b44b969a39293f3490c884e4d5ea271560c7442becbf3aa6ef66ddb364d5b57655e16ff0ea8d6e31da7e4712b');
INSERT INTO public.arc_run_events VALUES ('finished-paid', 4, 6, 7, '\x789c8b8e564acbcccb2cce484dd12d48cc4c51d231d789562a48acb45248cb2fcd4b5100321532f3144a3252158a4bf28b527514f2a1bc8cd49cb451a9912e65ad004a36c0c452044a2a4ab1b1b100c885cdfd');
INSERT INTO public.arc_run_events VALUES ('finished-paid', 5, 7, 8, '\x789c358ccb0a80201405ffe5d0d216ede2fe8a4848de4808335f10d2bf6745db3367465614d020904ecf2084eca6c53a1b573610081cf39640155de0790fa6ad24f13d1a2f7acb0c758957b40de2b77bafed93887c80c64bdd61f22368');
INSERT INTO public.arc_run_events VALUES ('denied', 3, 4, 6, '\x789c758ecb0ec22010457fc54c5ca2b60b5df02ba521a48c4ac2a3c2d0a469faef021b17a6bbb9774e66ceb0c102bc6740eb8cc08142b07252d6ca442a126a605023f0ed0f292ba34b51e74b5f9257ae02b35a4b50f1951d7a4aa5d904184227809f445d0bd8616710b397ed82466fdaab841fe0f79d1d5a3d8d37e9ddd888295baa62e7885388bab47c68ecadda2cca66fc716379a87354648297ae5875d7ee50e1b18f5fad975bbf');
INSERT INTO public.arc_run_events VALUES ('denied', 4, 6, 7, '\x789cedd2b10a80201485e15739b8b4b80736f7066de220794541bca146f4f649f516b59dc3b7fe5a0b4739921372945a6cf654f0bc67873e11335a20d4c68524f87d8192ffe9eb34612e858bc21262c56a5302fbdb1b73c2d0fb1970d88aa72f85ccc2187301e9e1d7b1');
INSERT INTO public.arc_run_events VALUES ('denied', 5, 7, 8, '\x789c258b4b0a80201086eff2d3d24dbb98ab8844e4440362e50b42bc7b62dbefa12b0a685648efcd2084ecd743bcc4932d1402c7ec12a8620abc5fc1764a1a7fd17dd95c6698a6c6285dc2b297f1467e404b331f6a6f20bc');
INSERT INTO public.arc_run_events VALUES ('cancelled', 3, 4, 5, '\x789c258b4b0a80201445f77269e8a44193b71591107d912056fe20c4bd27363d1fd95041ab407e6f062196b01f2eb874b28540e4547c06352c91cd15eda024f117c357ed0b4375314737248c0e86bd9f7be207b475f501d29021eb');
INSERT INTO public.arc_run_events VALUES ('running', 1, 0, 1, '\x789c8bae562a53b232d4512aa92c4855b2524a4c4fcd2b892f2e492c2a494d51d281f081e2c939a945d9407e51695e7c660a5000c8c8cbcc4b070a15a716024da88d0500a24a188d');
INSERT INTO public.arc_run_events VALUES ('running', 2, 1, 4, '\x789ca590dd0e82300c855fc5345ea20e44827b1520646113978c4df7436208ef6ec70d170613e35d7b7ada7e39d50423d03401ff7a08a0e08d516dc7946a9d67d60b0e09c416e8f461c191e428c4fa40b0d36c88869bd4718dd93e0c427b87d25483f462a881ee6ae0b2af618639011b74bb9cc0424bdde396134fa0d99c6c72e175e9ee0b98152e281fd1f65674c6725469b5784f9167642a88d5d7e0471e2cf3d2e876402c7224697e2d4a42485a16e5252fb27c1beafc05eac7b0d2352c0ce3bfacf2b9790364e29123');


--
-- Data for Name: arc_run_schema; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.arc_run_schema VALUES (1);


--
-- Data for Name: arc_run_steps; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.arc_run_steps VALUES ('finished-plain', 'begin', '{"type":"step","value":{"type":"in_charge","agent":"clerk"},"active_s":0.00039880400004221883,"told":1}', '2026-11-25T22:55:08.936216Z');
INSERT INTO public.arc_run_steps VALUES ('finished-plain', 'enter', '{"type":"step","value":{"type":"entered","prompt":"hello","system_prompt":"You sell.","tools":["ask_buyer","dig","find","look","pay"],"started_at":"2026-11-25T22:55:08.933267+00:00"},"active_s":0.006683251000140444,"told":1}', '2026-11-25T22:55:08.946153Z');
INSERT INTO public.arc_run_steps VALUES ('finished-plain', 'model/1', '{"type":"step","value":{"type":"asked","response":{"type":"chat_response","message":{"type":"assistant_message","content":"hello."},"usage":{"type":"token_usage","prompt_tokens":10,"completion_tokens":5,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0}}},"active_s":0.01785685699996975,"told":2}', '2026-11-25T22:55:08.955113Z');
INSERT INTO public.arc_run_steps VALUES ('finished-plain', 'finish', '{"type":"step","value":{"type":"agent_result","success":true,"content":"hello.","error_code":null,"error_message":null,"tools_used":[],"token_usage":{"type":"token_usage","prompt_tokens":10,"completion_tokens":5,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0},"duration_ms":28.542921000052957,"run_id":"finished-plain","metadata":{},"output":null,"has_output":false,"partial_content":null,"finish_reason":null,"cache_hit":false,"dropped_messages":0,"history_available":true,"messages":[{"type":"user_message","content":"hello"},{"type":"assistant_message","content":"hello."}],"reasoning":null,"agent":"clerk","model":null,"provider":null,"cost":null,"not_closed":[],"waiting":[],"retry_after_s":null},"active_s":0.03308954900012395,"told":3}', '2026-11-25T22:55:08.969931Z');
INSERT INTO public.arc_run_steps VALUES ('finished-parallel', 'begin', '{"type":"step","value":{"type":"in_charge","agent":"clerk"},"active_s":0.0002486630000930745,"told":1}', '2026-11-25T22:55:09.281540Z');
INSERT INTO public.arc_run_steps VALUES ('finished-parallel', 'enter', '{"type":"step","value":{"type":"entered","prompt":"parallel","system_prompt":"You sell.","tools":["ask_buyer","dig","find","look","pay"],"started_at":"2026-11-25T22:55:09.279818+00:00"},"active_s":0.00652807100004793,"told":1}', '2026-11-25T22:55:09.287867Z');
INSERT INTO public.arc_run_steps VALUES ('finished-parallel', 'model/1', '{"type":"step","value":{"type":"asked","response":{"type":"chat_response","message":{"type":"assistant_message","content":"","tool_calls":[{"type":"tool_call","id":"call-0","name":"find","arguments":"{\"item\": \"parallel\"}"},{"type":"tool_call","id":"call-1","name":"look","arguments":"{\"item\": \"parallel\"}"}]},"usage":{"type":"token_usage","prompt_tokens":10,"completion_tokens":5,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0}}},"active_s":0.011267107000094256,"told":1}', '2026-11-25T22:55:09.292176Z');
INSERT INTO public.arc_run_steps VALUES ('finished-parallel', 'tool/0', '{"type":"step","value":{"type":"called","result":{"type":"tool_result","call_id":"call-0","name":"find","content":"found parallel in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf "},"duration_ms":0.012503999869295512,"found":true,"repeatable":false},"active_s":0.016806626000061442,"told":3}', '2026-11-25T22:55:09.299137Z');
INSERT INTO public.arc_run_steps VALUES ('finished-parallel', 'tool/1', '{"type":"step","value":{"type":"called","result":{"type":"tool_result","call_id":"call-1","name":"look","content":"parallel looks good and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new "},"duration_ms":0.006722000080117141,"found":true,"repeatable":false},"active_s":0.017155435999939073,"told":5}', '2026-11-25T22:55:09.299137Z');
INSERT INTO public.arc_run_steps VALUES ('finished-parallel', 'model/2', '{"type":"step","value":{"type":"asked","response":{"type":"chat_response","message":{"type":"assistant_message","content":"parallel: found parallel in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf ; parallel looks good and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new "},"usage":{"type":"token_usage","prompt_tokens":20,"completion_tokens":5,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0}},"repeatable":false},"active_s":0.02244635100009873,"told":6}', '2026-11-25T22:55:09.303994Z');
INSERT INTO public.arc_run_steps VALUES ('finished-parallel', 'finish', '{"type":"step","value":{"type":"agent_result","success":true,"content":"parallel: found parallel in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf ; parallel looks good and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new ","error_code":null,"error_message":null,"tools_used":["find","look"],"token_usage":{"type":"token_usage","prompt_tokens":30,"completion_tokens":10,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0},"duration_ms":29.40772100009781,"run_id":"finished-parallel","metadata":{},"output":null,"has_output":false,"partial_content":null,"finish_reason":null,"cache_hit":false,"dropped_messages":0,"history_available":true,"messages":[{"type":"user_message","content":"parallel"},{"$recorded":["model/1","value","response","message"]},{"type":"tool_result_message","results":[{"$recorded":["tool/0","value","result"]},{"$recorded":["tool/1","value","result"]}]},{"$recorded":["model/2","value","response","message"]}],"reasoning":null,"agent":"clerk","model":null,"provider":null,"cost":null,"not_closed":[],"waiting":[],"retry_after_s":null},"active_s":0.03235474500002056,"told":7}', '2026-11-25T22:55:09.315005Z');
INSERT INTO public.arc_run_steps VALUES ('finished-delegate', 'begin', '{"type":"step","value":{"type":"in_charge","agent":"clerk"},"active_s":0.0003749690001768613,"told":1}', '2026-11-25T22:55:09.596040Z');
INSERT INTO public.arc_run_steps VALUES ('finished-delegate', 'enter', '{"type":"step","value":{"type":"entered","prompt":"delegate","system_prompt":"You sell.","tools":["ask_buyer","dig","find","look","pay"],"started_at":"2026-11-25T22:55:09.593667+00:00"},"active_s":0.005079491000060443,"told":1}', '2026-11-25T22:55:09.603839Z');
INSERT INTO public.arc_run_steps VALUES ('finished-delegate', 'tool/1', '{"type":"step","value":{"type":"called","result":{"type":"tool_result","call_id":"call-1","name":"look","content":"delegate looks good and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new "},"duration_ms":0.01136100013354735,"found":true,"repeatable":false},"active_s":0.2261925660000088,"told":4}', '2026-11-25T22:55:09.831550Z');
INSERT INTO public.arc_run_steps VALUES ('finished-delegate', 'model/1', '{"type":"step","value":{"type":"asked","response":{"type":"chat_response","message":{"type":"assistant_message","content":"","tool_calls":[{"type":"tool_call","id":"call-0","name":"ask_buyer","arguments":"{\"task\": \"buyer finds\"}"},{"type":"tool_call","id":"call-1","name":"look","arguments":"{\"item\": \"delegate\"}"}]},"usage":{"type":"token_usage","prompt_tokens":10,"completion_tokens":5,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0}}},"active_s":0.019561062000093443,"told":1}', '2026-11-25T22:55:09.617029Z');
INSERT INTO public.arc_run_steps VALUES ('finished-delegate', 'tool/0/enter', '{"type":"step","value":{"type":"entered","prompt":"buyer finds","system_prompt":"You buy.","tools":["find","look","pay"],"started_at":"2026-11-25T22:55:09.817655+00:00"},"active_s":0.03244737900013206,"told":1}', '2026-11-25T22:55:09.861573Z');
INSERT INTO public.arc_run_steps VALUES ('finished-delegate', 'tool/0/tool/0', '{"type":"step","value":{"type":"called","result":{"type":"tool_result","call_id":"call-0","name":"find","content":"found buyer finds in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf "},"duration_ms":0.009348000048703398,"found":true,"repeatable":false},"active_s":0.053453084000011586,"told":3}', '2026-11-25T22:55:09.876608Z');
INSERT INTO public.arc_run_steps VALUES ('finished-delegate', 'finish', '{"type":"step","value":{"type":"agent_result","success":true,"content":"delegate: buyer finds: found buyer finds in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf ; delegate looks good and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new ","error_code":null,"error_message":null,"tools_used":["ask_buyer","look"],"token_usage":{"type":"token_usage","prompt_tokens":60,"completion_tokens":20,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0},"duration_ms":337.4715270001616,"run_id":"finished-delegate","metadata":{},"output":null,"has_output":false,"partial_content":null,"finish_reason":null,"cache_hit":false,"dropped_messages":0,"history_available":true,"messages":[{"type":"user_message","content":"delegate"},{"$recorded":["model/1","value","response","message"]},{"type":"tool_result_message","results":[{"$recorded":["tool/0","value","result"]},{"$recorded":["tool/1","value","result"]}]},{"$recorded":["model/2","value","response","message"]}],"reasoning":null,"agent":"clerk","model":null,"provider":null,"cost":null,"not_closed":[],"waiting":[],"retry_after_s":null},"active_s":0.34241585600011604,"told":7}', '2026-11-25T22:55:09.940179Z');
INSERT INTO public.arc_run_steps VALUES ('failed', 'enter', '{"type":"step","value":{"type":"entered","prompt":"fail","system_prompt":"You sell.","tools":["ask_buyer","dig","find","look","pay"],"started_at":"2026-11-25T22:55:10.196199+00:00"},"active_s":0.01329065099980653,"told":1}', '2026-11-25T22:55:10.220283Z');
INSERT INTO public.arc_run_steps VALUES ('waiting', 'begin', '{"type":"step","value":{"type":"in_charge","agent":"clerk"},"active_s":0.00025104799988184823,"told":1}', '2026-11-25T22:55:10.740066Z');
INSERT INTO public.arc_run_steps VALUES ('waiting', 'tool/0', '{"type":"step","value":{"type":"called","result":{"type":"tool_result","call_id":"call-0","name":"find","content":"found pay in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf "},"duration_ms":0.00987900011750753,"found":true,"repeatable":false},"active_s":0.009735161999969932,"told":3}', '2026-11-25T22:55:10.751728Z');
INSERT INTO public.arc_run_steps VALUES ('waiting', 'approve/1', '{"type":"step","value":{"type":"judged","verdict":"ask","since":"2026-11-25T22:55:10.748449+00:00"},"active_s":0.010434735999979239,"told":4}', '2026-11-25T22:55:10.751728Z');
INSERT INTO public.arc_run_steps VALUES ('decided', 'begin', '{"type":"step","value":{"type":"in_charge","agent":"clerk"},"active_s":0.00024471599999742466,"told":1}', '2026-11-25T22:55:11.586465Z');
INSERT INTO public.arc_run_steps VALUES ('decided', 'model/1', '{"type":"step","value":{"type":"asked","response":{"type":"chat_response","message":{"type":"assistant_message","content":"","tool_calls":[{"type":"tool_call","id":"call-0","name":"find","arguments":"{\"item\": \"pay\"}"},{"type":"tool_call","id":"call-1","name":"pay","arguments":"{\"item\": \"pay\"}"}]},"usage":{"type":"token_usage","prompt_tokens":10,"completion_tokens":5,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0}}},"active_s":0.01855648899982043,"told":1}', '2026-11-25T22:55:11.607252Z');
INSERT INTO public.arc_run_steps VALUES ('cancelled', 'begin', '{"type":"step","value":{"type":"in_charge","agent":"clerk"},"active_s":0.00017072799982997822,"told":1}', '2026-11-25T22:55:11.845720Z');
INSERT INTO public.arc_run_steps VALUES ('cancelled', 'model/1', '{"type":"step","value":{"type":"asked","response":{"type":"chat_response","message":{"type":"assistant_message","content":"","tool_calls":[{"type":"tool_call","id":"call-0","name":"find","arguments":"{\"item\": \"pay\"}"},{"type":"tool_call","id":"call-1","name":"pay","arguments":"{\"item\": \"pay\"}"}]},"usage":{"type":"token_usage","prompt_tokens":10,"completion_tokens":5,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0}}},"active_s":0.011800522999919849,"told":1}', '2026-11-25T22:55:11.860544Z');
INSERT INTO public.arc_run_steps VALUES ('finished-delegate', 'tool/0/begin', '{"type":"step","value":{"type":"in_charge","agent":"buyer"},"active_s":0.0025914320001447777,"told":1}', '2026-11-25T22:55:09.831550Z');
INSERT INTO public.arc_run_steps VALUES ('finished-delegate', 'tool/0/model/2', '{"type":"step","value":{"type":"asked","response":{"type":"chat_response","message":{"type":"assistant_message","content":"buyer finds: found buyer finds in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf "},"usage":{"type":"token_usage","prompt_tokens":20,"completion_tokens":5,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0}},"repeatable":false},"active_s":0.06797094300009121,"told":4}', '2026-11-25T22:55:09.887900Z');
INSERT INTO public.arc_run_steps VALUES ('finished-delegate', 'tool/0/finish', '{"type":"step","value":{"type":"agent_result","success":true,"content":"buyer finds: found buyer finds in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf ","error_code":null,"error_message":null,"tools_used":["find"],"token_usage":{"type":"token_usage","prompt_tokens":30,"completion_tokens":10,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0},"duration_ms":76.9668160000947,"run_id":"e95acce1-27da-5020-a48b-b2acc4bf5778","metadata":{},"output":null,"has_output":false,"partial_content":null,"finish_reason":null,"cache_hit":false,"dropped_messages":0,"history_available":true,"messages":[{"type":"user_message","content":"buyer finds"},{"$recorded":["tool/0/model/1","value","response","message"]},{"type":"tool_result_message","results":[{"$recorded":["tool/0/tool/0","value","result"]}]},{"$recorded":["tool/0/model/2","value","response","message"]}],"reasoning":null,"agent":"buyer","model":null,"provider":null,"cost":null,"not_closed":[],"waiting":[],"retry_after_s":null},"active_s":0.08155525100005434,"told":5}', '2026-11-25T22:55:09.902709Z');
INSERT INTO public.arc_run_steps VALUES ('finished-delegate', 'model/2', '{"type":"step","value":{"type":"asked","response":{"type":"chat_response","message":{"type":"assistant_message","content":"delegate: buyer finds: found buyer finds in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf ; delegate looks good and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new "},"usage":{"type":"token_usage","prompt_tokens":20,"completion_tokens":5,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0}},"repeatable":false},"active_s":0.32436532100018667,"told":6}', '2026-11-25T22:55:09.922269Z');
INSERT INTO public.arc_run_steps VALUES ('finished-paid', 'enter', '{"type":"step","value":{"type":"entered","prompt":"pay","system_prompt":"You sell.","tools":["ask_buyer","dig","find","look","pay"],"started_at":"2026-11-25T22:55:10.461502+00:00"},"active_s":0.013967051999998148,"told":1}', '2026-11-25T22:55:10.479241Z');
INSERT INTO public.arc_run_steps VALUES ('waiting-below', 'enter', '{"type":"step","value":{"type":"entered","prompt":"delegate and pay","system_prompt":"You sell.","tools":["ask_buyer","dig","find","look","pay"],"started_at":"2026-11-25T22:55:11.003390+00:00"},"active_s":0.021826976000056675,"told":1}', '2026-11-25T22:55:11.028692Z');
INSERT INTO public.arc_run_steps VALUES ('waiting-below', 'tool/0/enter', '{"type":"step","value":{"type":"entered","prompt":"buyer pays","system_prompt":"You buy.","tools":["find","look","pay"],"started_at":"2026-11-25T22:55:11.036602+00:00"},"active_s":0.009841117999940252,"told":1}', '2026-11-25T22:55:11.051177Z');
INSERT INTO public.arc_run_steps VALUES ('denied', 'model/1', '{"type":"step","value":{"type":"asked","response":{"type":"chat_response","message":{"type":"assistant_message","content":"","tool_calls":[{"type":"tool_call","id":"call-0","name":"find","arguments":"{\"item\": \"pay\"}"},{"type":"tool_call","id":"call-1","name":"pay","arguments":"{\"item\": \"pay\"}"}]},"usage":{"type":"token_usage","prompt_tokens":10,"completion_tokens":5,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0}}},"active_s":0.017588454000133424,"told":1}', '2026-11-25T22:55:11.293942Z');
INSERT INTO public.arc_run_steps VALUES ('finished-delegate', 'tool/0/model/1', '{"type":"step","value":{"type":"asked","response":{"type":"chat_response","message":{"type":"assistant_message","content":"","tool_calls":[{"type":"tool_call","id":"call-0","name":"find","arguments":"{\"item\": \"buyer finds\"}"}]},"usage":{"type":"token_usage","prompt_tokens":10,"completion_tokens":5,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0}}},"active_s":0.047822957000107635,"told":1}', '2026-11-25T22:55:09.868001Z');
INSERT INTO public.arc_run_steps VALUES ('finished-delegate', 'tool/0', '{"type":"step","value":{"type":"called","result":{"type":"tool_result","call_id":"call-0","name":"ask_buyer","content":"buyer finds: found buyer finds in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf "},"duration_ms":90.74910300000738,"found":true,"repeatable":false,"usage":{"type":"token_usage","prompt_tokens":30,"completion_tokens":10,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0},"is_cost_known":false,"tool_calls":1},"active_s":0.3144613950000803,"told":5}', '2026-11-25T22:55:09.909922Z');
INSERT INTO public.arc_run_steps VALUES ('finished-paid', 'model/1', '{"type":"step","value":{"type":"asked","response":{"type":"chat_response","message":{"type":"assistant_message","content":"","tool_calls":[{"type":"tool_call","id":"call-0","name":"find","arguments":"{\"item\": \"pay\"}"},{"type":"tool_call","id":"call-1","name":"pay","arguments":"{\"item\": \"pay\"}"}]},"usage":{"type":"token_usage","prompt_tokens":10,"completion_tokens":5,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0}}},"active_s":0.022527743999944505,"told":1}', '2026-11-25T22:55:10.486616Z');
INSERT INTO public.arc_run_steps VALUES ('waiting', 'enter', '{"type":"step","value":{"type":"entered","prompt":"pay","system_prompt":"You sell.","tools":["ask_buyer","dig","find","look","pay"],"started_at":"2026-11-25T22:55:10.738443+00:00"},"active_s":0.003872840999974869,"told":1}', '2026-11-25T22:55:10.743886Z');
INSERT INTO public.arc_run_steps VALUES ('waiting-below', 'model/1', '{"type":"step","value":{"type":"asked","response":{"type":"chat_response","message":{"type":"assistant_message","content":"","tool_calls":[{"type":"tool_call","id":"call-0","name":"ask_buyer","arguments":"{\"task\": \"buyer pays\"}"},{"type":"tool_call","id":"call-1","name":"look","arguments":"{\"item\": \"delegate and pay\"}"}]},"usage":{"type":"token_usage","prompt_tokens":10,"completion_tokens":5,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0}}},"active_s":0.029590271000188295,"told":1}', '2026-11-25T22:55:11.034711Z');
INSERT INTO public.arc_run_steps VALUES ('waiting-below', 'tool/0/model/1', '{"type":"step","value":{"type":"asked","response":{"type":"chat_response","message":{"type":"assistant_message","content":"","tool_calls":[{"type":"tool_call","id":"call-0","name":"pay","arguments":"{\"item\": \"buyer pays\"}"}]},"usage":{"type":"token_usage","prompt_tokens":10,"completion_tokens":5,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0}}},"active_s":0.026129397999966386,"told":1}', '2026-11-25T22:55:11.064293Z');
INSERT INTO public.arc_run_steps VALUES ('denied', 'enter', '{"type":"step","value":{"type":"entered","prompt":"pay","system_prompt":"You sell.","tools":["ask_buyer","dig","find","look","pay"],"started_at":"2026-11-25T22:55:11.272502+00:00"},"active_s":0.0036708439999983966,"told":1}', '2026-11-25T22:55:11.286145Z');
INSERT INTO public.arc_run_steps VALUES ('decided', 'enter', '{"type":"step","value":{"type":"entered","prompt":"pay","system_prompt":"You sell.","tools":["ask_buyer","dig","find","look","pay"],"started_at":"2026-11-25T22:55:11.584151+00:00"},"active_s":0.005423110999799974,"told":1}', '2026-11-25T22:55:11.591604Z');
INSERT INTO public.arc_run_steps VALUES ('cancelled', 'tool/0', '{"type":"step","value":{"type":"called","result":{"type":"tool_result","call_id":"call-0","name":"find","content":"found pay in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf "},"duration_ms":0.00912700011213019,"found":true,"repeatable":false},"active_s":0.02056780899988553,"told":3}', '2026-11-25T22:55:11.868427Z');
INSERT INTO public.arc_run_steps VALUES ('cancelled', 'approve/1', '{"type":"step","value":{"type":"judged","verdict":"ask","since":"2026-11-25T22:55:11.865199+00:00"},"active_s":0.021578122999926563,"told":4}', '2026-11-25T22:55:11.868427Z');
INSERT INTO public.arc_run_steps VALUES ('finished-paid', 'model/2', '{"type":"step","value":{"type":"asked","response":{"type":"chat_response","message":{"type":"assistant_message","content":"pay: found pay in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf ; paid for pay"},"usage":{"type":"token_usage","prompt_tokens":20,"completion_tokens":5,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0}},"repeatable":false},"active_s":0.06920587600006911,"told":7}', '2026-11-25T22:55:12.190464Z');
INSERT INTO public.arc_run_steps VALUES ('failed', 'begin', '{"type":"step","value":{"type":"in_charge","agent":"clerk"},"active_s":0.000233254999784549,"told":1}', '2026-11-25T22:55:10.201622Z');
INSERT INTO public.arc_run_steps VALUES ('failed', 'finish', '{"type":"step","value":{"type":"agent_result","success":false,"content":null,"error_code":"UNAVAILABLE","error_message":"The service cannot be reached. Please try again later.","tools_used":[],"token_usage":null,"duration_ms":30.196962999980315,"run_id":"failed","metadata":{},"output":null,"has_output":false,"partial_content":null,"finish_reason":null,"cache_hit":false,"dropped_messages":0,"history_available":true,"messages":[{"type":"user_message","content":"fail"}],"reasoning":null,"agent":"clerk","model":null,"provider":null,"cost":null,"not_closed":[],"waiting":[],"retry_after_s":null},"active_s":0.04064400199990814,"told":2}', '2026-11-25T22:55:10.251900Z');
INSERT INTO public.arc_run_steps VALUES ('finished-paid', 'begin', '{"type":"step","value":{"type":"in_charge","agent":"clerk"},"active_s":0.0003790270000081364,"told":1}', '2026-11-25T22:55:10.467299Z');
INSERT INTO public.arc_run_steps VALUES ('finished-paid', 'tool/0', '{"type":"step","value":{"type":"called","result":{"type":"tool_result","call_id":"call-0","name":"find","content":"found pay in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf "},"duration_ms":0.013846000001649372,"found":true,"repeatable":false},"active_s":0.031522525000127644,"told":3}', '2026-11-25T22:55:10.496467Z');
INSERT INTO public.arc_run_steps VALUES ('finished-paid', 'approve/1', '{"type":"step","value":{"type":"judged","verdict":"ask","since":"2026-11-25T22:55:10.493376+00:00"},"active_s":0.032492814000079306,"told":4}', '2026-11-25T22:55:10.496467Z');
INSERT INTO public.arc_run_steps VALUES ('cancelled', 'enter', '{"type":"step","value":{"type":"entered","prompt":"pay","system_prompt":"You sell.","tools":["ask_buyer","dig","find","look","pay"],"started_at":"2026-11-25T22:55:11.844306+00:00"},"active_s":0.004452341999922282,"told":1}', '2026-11-25T22:55:11.852529Z');
INSERT INTO public.arc_run_steps VALUES ('finished-paid', 'tool/1', '{"type":"step","value":{"type":"called","result":{"type":"tool_result","call_id":"call-1","name":"pay","content":"paid for pay"},"duration_ms":0.006782999889765051,"found":true,"repeatable":false},"active_s":0.06447870200008765,"told":6}', '2026-11-25T22:55:12.184743Z');
INSERT INTO public.arc_run_steps VALUES ('waiting', 'model/1', '{"type":"step","value":{"type":"asked","response":{"type":"chat_response","message":{"type":"assistant_message","content":"","tool_calls":[{"type":"tool_call","id":"call-0","name":"find","arguments":"{\"item\": \"pay\"}"},{"type":"tool_call","id":"call-1","name":"pay","arguments":"{\"item\": \"pay\"}"}]},"usage":{"type":"token_usage","prompt_tokens":10,"completion_tokens":5,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0}}},"active_s":0.0069790729999112955,"told":1}', '2026-11-25T22:55:10.746486Z');
INSERT INTO public.arc_run_steps VALUES ('waiting-below', 'begin', '{"type":"step","value":{"type":"in_charge","agent":"clerk"},"active_s":0.00023880499998085725,"told":1}', '2026-11-25T22:55:11.006876Z');
INSERT INTO public.arc_run_steps VALUES ('waiting-below', 'tool/1', '{"type":"step","value":{"type":"called","result":{"type":"tool_result","call_id":"call-1","name":"look","content":"delegate and pay looks good and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new "},"duration_ms":0.01053000005413196,"found":true,"repeatable":false},"active_s":0.03370005400006448,"told":4}', '2026-11-25T22:55:11.041634Z');
INSERT INTO public.arc_run_steps VALUES ('waiting-below', 'tool/0/begin', '{"type":"step","value":{"type":"in_charge","agent":"buyer"},"active_s":0.0007701859999542648,"told":1}', '2026-11-25T22:55:11.041634Z');
INSERT INTO public.arc_run_steps VALUES ('waiting-below', 'tool/0/approve/0', '{"type":"step","value":{"type":"judged","verdict":"ask","since":"2026-11-25T22:55:11.068143+00:00"},"active_s":0.03201531299987437,"told":2}', '2026-11-25T22:55:11.074476Z');
INSERT INTO public.arc_run_steps VALUES ('denied', 'begin', '{"type":"step","value":{"type":"in_charge","agent":"clerk"},"active_s":0.00024406500006080023,"told":1}', '2026-11-25T22:55:11.274334Z');
INSERT INTO public.arc_run_steps VALUES ('denied', 'tool/0', '{"type":"step","value":{"type":"called","result":{"type":"tool_result","call_id":"call-0","name":"find","content":"found pay in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf "},"duration_ms":0.009937999948306242,"found":true,"repeatable":false},"active_s":0.02990826400014157,"told":3}', '2026-11-25T22:55:11.304460Z');
INSERT INTO public.arc_run_steps VALUES ('denied', 'approve/1', '{"type":"step","value":{"type":"judged","verdict":"ask","since":"2026-11-25T22:55:11.302608+00:00"},"active_s":0.030480311000019356,"told":4}', '2026-11-25T22:55:11.304460Z');
INSERT INTO public.arc_run_steps VALUES ('decided', 'tool/0', '{"type":"step","value":{"type":"called","result":{"type":"tool_result","call_id":"call-0","name":"find","content":"found pay in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf "},"duration_ms":0.00943700001698744,"found":true,"repeatable":false},"active_s":0.025010491999864826,"told":3}', '2026-11-25T22:55:11.612436Z');
INSERT INTO public.arc_run_steps VALUES ('decided', 'approve/1', '{"type":"step","value":{"type":"judged","verdict":"ask","since":"2026-11-25T22:55:11.609533+00:00"},"active_s":0.025887256999794772,"told":4}', '2026-11-25T22:55:11.612436Z');
INSERT INTO public.arc_run_steps VALUES ('denied', 'model/2', '{"type":"step","value":{"type":"asked","response":{"type":"chat_response","message":{"type":"assistant_message","content":"pay: found pay in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf ; Error: This call of the tool ''pay'' was denied: no"},"usage":{"type":"token_usage","prompt_tokens":20,"completion_tokens":5,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0}},"repeatable":false},"active_s":0.06227328999989368,"told":7}', '2026-11-25T22:55:12.471889Z');
INSERT INTO public.arc_run_steps VALUES ('denied', 'finish', '{"type":"step","value":{"type":"agent_result","success":true,"content":"pay: found pay in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf ; Error: This call of the tool ''pay'' was denied: no","error_code":null,"error_message":null,"tools_used":["find"],"token_usage":{"type":"token_usage","prompt_tokens":30,"completion_tokens":10,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0},"duration_ms":69.27057600000808,"run_id":"denied","metadata":{},"output":null,"has_output":false,"partial_content":null,"finish_reason":null,"cache_hit":false,"dropped_messages":0,"history_available":true,"messages":[{"type":"user_message","content":"pay"},{"$recorded":["model/1","value","response","message"]},{"type":"tool_result_message","results":[{"$recorded":["tool/0","value","result"]},{"$recorded":["tool/1","value","result"]}]},{"$recorded":["model/2","value","response","message"]}],"reasoning":null,"agent":"clerk","model":null,"provider":null,"cost":null,"not_closed":[],"waiting":[],"retry_after_s":null},"active_s":0.08018190999996477,"told":8}', '2026-11-25T22:55:12.493271Z');
INSERT INTO public.arc_run_steps VALUES ('cancelled', 'finish', '{"type":"step","value":{"type":"agent_result","success":false,"content":null,"error_code":"CANCELLED","error_message":"The request was cancelled.","tools_used":["find"],"token_usage":{"type":"token_usage","prompt_tokens":10,"completion_tokens":5,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0},"duration_ms":34.56782199987174,"run_id":"cancelled","metadata":{},"output":null,"has_output":false,"partial_content":null,"finish_reason":null,"cache_hit":false,"dropped_messages":0,"history_available":true,"messages":[{"type":"user_message","content":"pay"}],"reasoning":null,"agent":"clerk","model":null,"provider":null,"cost":null,"not_closed":[],"waiting":[],"retry_after_s":null},"active_s":0.043981303999771626,"told":5}', '2026-11-25T22:55:12.599721Z');
INSERT INTO public.arc_run_steps VALUES ('finished-paid', 'finish', '{"type":"step","value":{"type":"agent_result","success":true,"content":"pay: found pay in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf ; paid for pay","error_code":null,"error_message":null,"tools_used":["find","pay"],"token_usage":{"type":"token_usage","prompt_tokens":30,"completion_tokens":10,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0},"duration_ms":76.08615400022245,"run_id":"finished-paid","metadata":{},"output":null,"has_output":false,"partial_content":null,"finish_reason":null,"cache_hit":false,"dropped_messages":0,"history_available":true,"messages":[{"type":"user_message","content":"pay"},{"$recorded":["model/1","value","response","message"]},{"type":"tool_result_message","results":[{"$recorded":["tool/0","value","result"]},{"type":"tool_result","call_id":"call-1","name":"pay","content":"paid for pay"}]},{"$recorded":["model/2","value","response","message"]}],"reasoning":null,"agent":"clerk","model":null,"provider":null,"cost":null,"not_closed":[],"waiting":[],"retry_after_s":null},"active_s":0.08045180400017671,"told":8}', '2026-11-25T22:55:12.201916Z');
INSERT INTO public.arc_run_steps VALUES ('denied', 'tool/1', '{"type":"step","value":{"type":"called","result":{"type":"tool_result","call_id":"call-1","name":"pay","content":"Error: This call of the tool ''pay'' was denied: no","outcome":"denied"},"repeatable":false},"active_s":0.04754302500009544,"told":6}', '2026-11-25T22:55:12.456477Z');
INSERT INTO public.arc_run_steps VALUES ('running', 'begin', '{"type":"step","value":{"type":"in_charge","agent":"clerk"},"active_s":0.0003870509999615024,"told":1}', '2026-11-25T22:55:23.573866Z');
INSERT INTO public.arc_run_steps VALUES ('running', 'enter', '{"type":"step","value":{"type":"entered","prompt":"dig","system_prompt":"You sell.","tools":["ask_buyer","dig","find","look","pay"],"started_at":"2026-11-25T22:55:23.568252+00:00"},"active_s":0.014781340000126875,"told":1}', '2026-11-25T22:55:23.588561Z');
INSERT INTO public.arc_run_steps VALUES ('running', 'model/1', '{"type":"step","value":{"type":"asked","response":{"type":"chat_response","message":{"type":"assistant_message","content":"","tool_calls":[{"type":"tool_call","id":"call-0","name":"find","arguments":"{\"item\": \"dig\"}"},{"type":"tool_call","id":"call-1","name":"dig","arguments":"{\"item\": \"dig\"}"}]},"usage":{"type":"token_usage","prompt_tokens":10,"completion_tokens":5,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0}}},"active_s":0.032986313000037626,"told":1}', '2026-11-25T22:55:23.609730Z');
INSERT INTO public.arc_run_steps VALUES ('running', 'tool/0', '{"type":"step","value":{"type":"called","result":{"type":"tool_result","call_id":"call-0","name":"find","content":"found dig in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf "},"duration_ms":0.014968000186854624,"found":true,"repeatable":false},"active_s":0.046077521999905,"told":3}', '2026-11-25T22:55:23.621066Z');


--
-- Data for Name: arc_runs; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.arc_runs VALUES ('finished-plain', 'arc-1', 'finished', 'default', NULL, '{"v":1,"type":"agent_command","user_prompt":"hello","user_id":"ann","agent":"clerk"}', NULL, 1, true, NULL, NULL, 0, false, 3, NULL, '2026-11-25T22:55:07.705744Z', '2026-11-25T22:55:08.981859Z', '{"v":1,"type":"agent_result","success":true,"content":"hello.","error_code":null,"error_message":null,"tools_used":[],"token_usage":{"type":"token_usage","prompt_tokens":10,"completion_tokens":5,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0},"duration_ms":28.542921000052957,"run_id":"finished-plain","metadata":{},"output":null,"has_output":false,"partial_content":null,"finish_reason":null,"cache_hit":false,"dropped_messages":0,"history_available":true,"messages":[{"type":"user_message","content":"hello"},{"type":"assistant_message","content":"hello."}],"reasoning":null,"agent":"clerk","model":null,"provider":null,"cost":null,"not_closed":[],"waiting":[],"retry_after_s":null}');
INSERT INTO public.arc_runs VALUES ('finished-delegate', 'arc-1', 'finished', 'default', NULL, '{"v":1,"type":"agent_command","user_prompt":"delegate","user_id":"ann","agent":"clerk"}', NULL, 1, true, NULL, NULL, 0, false, 7, NULL, '2026-11-25T22:55:09.342450Z', '2026-11-25T22:55:09.950930Z', '{"v":1,"type":"agent_result","success":true,"content":"delegate: buyer finds: found buyer finds in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf ; delegate looks good and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new ","error_code":null,"error_message":null,"tools_used":["ask_buyer","look"],"token_usage":{"type":"token_usage","prompt_tokens":60,"completion_tokens":20,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0},"duration_ms":337.4715270001616,"run_id":"finished-delegate","metadata":{},"output":null,"has_output":false,"partial_content":null,"finish_reason":null,"cache_hit":false,"dropped_messages":0,"history_available":true,"messages":{"$recorded":["finish","value","messages"]},"reasoning":null,"agent":"clerk","model":null,"provider":null,"cost":null,"not_closed":[],"waiting":[],"retry_after_s":null}');
INSERT INTO public.arc_runs VALUES ('finished-parallel', 'arc-1', 'finished', 'default', NULL, '{"v":1,"type":"agent_command","user_prompt":"parallel","user_id":"ann","agent":"clerk"}', NULL, 1, true, NULL, NULL, 0, false, 7, NULL, '2026-11-25T22:55:09.000513Z', '2026-11-25T22:55:09.323081Z', '{"v":1,"type":"agent_result","success":true,"content":"parallel: found parallel in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf ; parallel looks good and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new ","error_code":null,"error_message":null,"tools_used":["find","look"],"token_usage":{"type":"token_usage","prompt_tokens":30,"completion_tokens":10,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0},"duration_ms":29.40772100009781,"run_id":"finished-parallel","metadata":{},"output":null,"has_output":false,"partial_content":null,"finish_reason":null,"cache_hit":false,"dropped_messages":0,"history_available":true,"messages":{"$recorded":["finish","value","messages"]},"reasoning":null,"agent":"clerk","model":null,"provider":null,"cost":null,"not_closed":[],"waiting":[],"retry_after_s":null}');
INSERT INTO public.arc_runs VALUES ('waiting-below', 'arc-1', 'waiting', 'default', NULL, '{"v":1,"type":"agent_command","user_prompt":"delegate and pay","user_id":"ann","session_id":"s-waiting-below","agent":"clerk"}', NULL, 1, true, NULL, NULL, 0, false, 4, NULL, '2026-11-25T22:55:10.806147Z', NULL, '{"v":1,"type":"agent_result","success":false,"content":null,"error_code":null,"error_message":null,"tools_used":["ask_buyer","look"],"token_usage":{"type":"token_usage","prompt_tokens":20,"completion_tokens":10,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0},"duration_ms":96.57396300008259,"run_id":"waiting-below","metadata":{},"output":null,"has_output":false,"partial_content":null,"finish_reason":null,"cache_hit":false,"dropped_messages":0,"history_available":true,"messages":[{"type":"user_message","content":"delegate and pay"}],"reasoning":null,"agent":"clerk","model":null,"provider":null,"cost":null,"not_closed":[],"waiting":[],"retry_after_s":null}');
INSERT INTO public.arc_runs VALUES ('failed', 'arc-1', 'finished', 'default', NULL, '{"v":1,"type":"agent_command","user_prompt":"fail","user_id":"ann","agent":"clerk"}', NULL, 1, true, NULL, NULL, 0, false, 2, NULL, '2026-11-25T22:55:09.972444Z', '2026-11-25T22:55:10.268794Z', '{"v":1,"type":"agent_result","success":false,"content":null,"error_code":"UNAVAILABLE","error_message":"The service cannot be reached. Please try again later.","tools_used":[],"token_usage":null,"duration_ms":30.196962999980315,"run_id":"failed","metadata":{},"output":null,"has_output":false,"partial_content":null,"finish_reason":null,"cache_hit":false,"dropped_messages":0,"history_available":true,"messages":[{"type":"user_message","content":"fail"}],"reasoning":null,"agent":"clerk","model":null,"provider":null,"cost":null,"not_closed":[],"waiting":[],"retry_after_s":null}');
INSERT INTO public.arc_runs VALUES ('waiting', 'arc-1', 'waiting', 'default', NULL, '{"v":1,"type":"agent_command","user_prompt":"pay","user_id":"ann","session_id":"s-waiting","agent":"clerk"}', NULL, 1, true, NULL, NULL, 0, false, 4, NULL, '2026-11-25T22:55:10.574475Z', NULL, '{"v":1,"type":"agent_result","success":false,"content":null,"error_code":null,"error_message":null,"tools_used":["find"],"token_usage":{"type":"token_usage","prompt_tokens":10,"completion_tokens":5,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0},"duration_ms":28.889355000046635,"run_id":"waiting","metadata":{},"output":null,"has_output":false,"partial_content":null,"finish_reason":null,"cache_hit":false,"dropped_messages":0,"history_available":true,"messages":[{"type":"user_message","content":"pay"}],"reasoning":null,"agent":"clerk","model":null,"provider":null,"cost":null,"not_closed":[],"waiting":[],"retry_after_s":null}');
INSERT INTO public.arc_runs VALUES ('decided', 'arc-1', 'queued', 'default', NULL, '{"v":1,"type":"agent_command","user_prompt":"pay","user_id":"ann","session_id":"s-decided","agent":"clerk"}', NULL, 2, true, NULL, NULL, 0, false, 4, NULL, '2026-11-25T22:55:11.354898Z', NULL, '{"v":1,"type":"agent_result","success":false,"content":null,"error_code":null,"error_message":null,"tools_used":["find"],"token_usage":{"type":"token_usage","prompt_tokens":10,"completion_tokens":5,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0},"duration_ms":50.447669999812206,"run_id":"decided","metadata":{},"output":null,"has_output":false,"partial_content":null,"finish_reason":null,"cache_hit":false,"dropped_messages":0,"history_available":true,"messages":[{"type":"user_message","content":"pay"}],"reasoning":null,"agent":"clerk","model":null,"provider":null,"cost":null,"not_closed":[],"waiting":[],"retry_after_s":null}');
INSERT INTO public.arc_runs VALUES ('finished-paid', 'arc-1', 'finished', 'default', NULL, '{"v":1,"type":"agent_command","user_prompt":"pay","user_id":"ann","session_id":"s-finished-paid","agent":"clerk"}', NULL, 2, true, NULL, NULL, 0, false, 8, NULL, '2026-11-25T22:55:10.300125Z', '2026-11-25T22:55:12.209881Z', '{"v":1,"type":"agent_result","success":true,"content":"pay: found pay in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf ; paid for pay","error_code":null,"error_message":null,"tools_used":["find","pay"],"token_usage":{"type":"token_usage","prompt_tokens":30,"completion_tokens":10,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0},"duration_ms":76.08615400022245,"run_id":"finished-paid","metadata":{},"output":null,"has_output":false,"partial_content":null,"finish_reason":null,"cache_hit":false,"dropped_messages":0,"history_available":true,"messages":{"$recorded":["finish","value","messages"]},"reasoning":null,"agent":"clerk","model":null,"provider":null,"cost":null,"not_closed":[],"waiting":[],"retry_after_s":null}');
INSERT INTO public.arc_runs VALUES ('cancelled', 'arc-1', 'finished', 'default', NULL, '{"v":1,"type":"agent_command","user_prompt":"pay","user_id":"ann","session_id":"s-cancelled","agent":"clerk"}', NULL, 2, true, NULL, NULL, 0, true, 5, NULL, '2026-11-25T22:55:11.656429Z', '2026-11-25T22:55:12.608377Z', '{"v":1,"type":"agent_result","success":false,"content":null,"error_code":"CANCELLED","error_message":"The request was cancelled.","tools_used":["find"],"token_usage":{"type":"token_usage","prompt_tokens":10,"completion_tokens":5,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0},"duration_ms":34.56782199987174,"run_id":"cancelled","metadata":{},"output":null,"has_output":false,"partial_content":null,"finish_reason":null,"cache_hit":false,"dropped_messages":0,"history_available":true,"messages":[{"type":"user_message","content":"pay"}],"reasoning":null,"agent":"clerk","model":null,"provider":null,"cost":null,"not_closed":[],"waiting":[],"retry_after_s":null}');
INSERT INTO public.arc_runs VALUES ('denied', 'arc-1', 'finished', 'default', NULL, '{"v":1,"type":"agent_command","user_prompt":"pay","user_id":"ann","session_id":"s-denied","agent":"clerk"}', NULL, 2, true, NULL, NULL, 0, false, 8, NULL, '2026-11-25T22:55:11.129480Z', '2026-11-25T22:55:12.504468Z', '{"v":1,"type":"agent_result","success":true,"content":"pay: found pay in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf ; Error: This call of the tool ''pay'' was denied: no","error_code":null,"error_message":null,"tools_used":["find"],"token_usage":{"type":"token_usage","prompt_tokens":30,"completion_tokens":10,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0},"duration_ms":69.27057600000808,"run_id":"denied","metadata":{},"output":null,"has_output":false,"partial_content":null,"finish_reason":null,"cache_hit":false,"dropped_messages":0,"history_available":true,"messages":{"$recorded":["finish","value","messages"]},"reasoning":null,"agent":"clerk","model":null,"provider":null,"cost":null,"not_closed":[],"waiting":[],"retry_after_s":null}');
INSERT INTO public.arc_runs VALUES ('running', 'arc-1', 'running', 'default', NULL, '{"v":1,"type":"agent_command","user_prompt":"dig","user_id":"ann","agent":"clerk"}', NULL, 1, true, 'worker-1', 'cf707cb9630f42128d2060624e1d9fd3', 0, false, 4, NULL, '2026-11-25T22:55:22.572207Z', NULL, NULL);
INSERT INTO public.arc_runs VALUES ('queued-carried', 'arc-1', 'queued', 'default', NULL, '{"v":1,"type":"agent_command","user_prompt":"parallel","user_id":"ann","agent":"clerk"}', NULL, 1, true, NULL, NULL, 0, false, 0, NULL, '2026-11-25T22:55:23.794637Z', NULL, NULL);
INSERT INTO public.arc_runs VALUES ('queued-delegate', 'arc-1', 'queued', 'default', NULL, '{"v":1,"type":"agent_command","user_prompt":"delegate","user_id":"ann","agent":"clerk"}', NULL, 1, true, NULL, NULL, 0, false, 0, NULL, '2026-11-25T22:55:23.816866Z', NULL, NULL);
INSERT INTO public.arc_runs VALUES ('queued-new', 'arc-1', 'queued', 'default', NULL, '{"v":1,"type":"agent_command","user_prompt":"pay","user_id":"ann","agent":"clerk"}', NULL, 1, false, NULL, NULL, 0, false, 0, NULL, '2026-11-25T22:55:34.136752Z', NULL, NULL);


--
-- Name: arc_run_schema_version_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.arc_run_schema_version_seq', 1, false);


--
-- Name: application_versions application_versions_pkey; Type: CONSTRAINT; Schema: arc_dbos; Owner: -
--

ALTER TABLE ONLY arc_dbos.application_versions
    ADD CONSTRAINT application_versions_pkey PRIMARY KEY (version_id);


--
-- Name: application_versions application_versions_version_name_key; Type: CONSTRAINT; Schema: arc_dbos; Owner: -
--

ALTER TABLE ONLY arc_dbos.application_versions
    ADD CONSTRAINT application_versions_version_name_key UNIQUE (version_name);


--
-- Name: dbos_migrations dbos_migrations_pkey; Type: CONSTRAINT; Schema: arc_dbos; Owner: -
--

ALTER TABLE ONLY arc_dbos.dbos_migrations
    ADD CONSTRAINT dbos_migrations_pkey PRIMARY KEY (version);


--
-- Name: event_dispatch_kv event_dispatch_kv_pkey; Type: CONSTRAINT; Schema: arc_dbos; Owner: -
--

ALTER TABLE ONLY arc_dbos.event_dispatch_kv
    ADD CONSTRAINT event_dispatch_kv_pkey PRIMARY KEY (service_name, workflow_fn_name, key);


--
-- Name: notifications notifications_pkey; Type: CONSTRAINT; Schema: arc_dbos; Owner: -
--

ALTER TABLE ONLY arc_dbos.notifications
    ADD CONSTRAINT notifications_pkey PRIMARY KEY (message_uuid);


--
-- Name: operation_outputs operation_outputs_pkey; Type: CONSTRAINT; Schema: arc_dbos; Owner: -
--

ALTER TABLE ONLY arc_dbos.operation_outputs
    ADD CONSTRAINT operation_outputs_pkey PRIMARY KEY (workflow_uuid, function_id);


--
-- Name: queues queues_name_key; Type: CONSTRAINT; Schema: arc_dbos; Owner: -
--

ALTER TABLE ONLY arc_dbos.queues
    ADD CONSTRAINT queues_name_key UNIQUE (name);


--
-- Name: queues queues_pkey; Type: CONSTRAINT; Schema: arc_dbos; Owner: -
--

ALTER TABLE ONLY arc_dbos.queues
    ADD CONSTRAINT queues_pkey PRIMARY KEY (queue_id);


--
-- Name: streams streams_pkey; Type: CONSTRAINT; Schema: arc_dbos; Owner: -
--

ALTER TABLE ONLY arc_dbos.streams
    ADD CONSTRAINT streams_pkey PRIMARY KEY (workflow_uuid, key, "offset");


--
-- Name: workflow_events_history workflow_events_history_pkey; Type: CONSTRAINT; Schema: arc_dbos; Owner: -
--

ALTER TABLE ONLY arc_dbos.workflow_events_history
    ADD CONSTRAINT workflow_events_history_pkey PRIMARY KEY (workflow_uuid, function_id, key);


--
-- Name: workflow_events workflow_events_pkey; Type: CONSTRAINT; Schema: arc_dbos; Owner: -
--

ALTER TABLE ONLY arc_dbos.workflow_events
    ADD CONSTRAINT workflow_events_pkey PRIMARY KEY (workflow_uuid, key);


--
-- Name: workflow_input workflow_input_pkey; Type: CONSTRAINT; Schema: arc_dbos; Owner: -
--

ALTER TABLE ONLY arc_dbos.workflow_input
    ADD CONSTRAINT workflow_input_pkey PRIMARY KEY (workflow_uuid);


--
-- Name: workflow_output workflow_output_pkey; Type: CONSTRAINT; Schema: arc_dbos; Owner: -
--

ALTER TABLE ONLY arc_dbos.workflow_output
    ADD CONSTRAINT workflow_output_pkey PRIMARY KEY (workflow_uuid);


--
-- Name: workflow_schedules workflow_schedules_pkey; Type: CONSTRAINT; Schema: arc_dbos; Owner: -
--

ALTER TABLE ONLY arc_dbos.workflow_schedules
    ADD CONSTRAINT workflow_schedules_pkey PRIMARY KEY (schedule_id);


--
-- Name: workflow_schedules workflow_schedules_schedule_name_key; Type: CONSTRAINT; Schema: arc_dbos; Owner: -
--

ALTER TABLE ONLY arc_dbos.workflow_schedules
    ADD CONSTRAINT workflow_schedules_schedule_name_key UNIQUE (schedule_name);


--
-- Name: workflow_status workflow_status_pkey; Type: CONSTRAINT; Schema: arc_dbos; Owner: -
--

ALTER TABLE ONLY arc_dbos.workflow_status
    ADD CONSTRAINT workflow_status_pkey PRIMARY KEY (workflow_uuid);


--
-- Name: arc_approvals arc_approvals_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.arc_approvals
    ADD CONSTRAINT arc_approvals_pkey PRIMARY KEY (run_id, key);


--
-- Name: arc_run_events arc_run_events_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.arc_run_events
    ADD CONSTRAINT arc_run_events_pkey PRIMARY KEY (run_id, number);


--
-- Name: arc_run_schema arc_run_schema_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.arc_run_schema
    ADD CONSTRAINT arc_run_schema_pkey PRIMARY KEY (version);


--
-- Name: arc_run_steps arc_run_steps_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.arc_run_steps
    ADD CONSTRAINT arc_run_steps_pkey PRIMARY KEY (run_id, key);


--
-- Name: arc_runs arc_runs_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.arc_runs
    ADD CONSTRAINT arc_runs_pkey PRIMARY KEY (run_id);


--
-- Name: idx_application_versions_owner_timestamp; Type: INDEX; Schema: arc_dbos; Owner: -
--

CREATE INDEX idx_application_versions_owner_timestamp ON arc_dbos.application_versions USING btree (application_name, version_timestamp DESC);


--
-- Name: idx_application_versions_timestamp; Type: INDEX; Schema: arc_dbos; Owner: -
--

CREATE INDEX idx_application_versions_timestamp ON arc_dbos.application_versions USING btree (version_timestamp DESC);


--
-- Name: idx_operation_outputs_completed_at_function_name_v2; Type: INDEX; Schema: arc_dbos; Owner: -
--

CREATE INDEX idx_operation_outputs_completed_at_function_name_v2 ON arc_dbos.operation_outputs USING btree (completed_at_epoch_ms, function_name) INCLUDE (application_name);


--
-- Name: idx_operation_outputs_retention; Type: INDEX; Schema: arc_dbos; Owner: -
--

CREATE INDEX idx_operation_outputs_retention ON arc_dbos.operation_outputs USING btree (retention_timestamp);


--
-- Name: idx_workflow_input_retention; Type: INDEX; Schema: arc_dbos; Owner: -
--

CREATE INDEX idx_workflow_input_retention ON arc_dbos.workflow_input USING btree (retention_timestamp);


--
-- Name: idx_workflow_output_retention; Type: INDEX; Schema: arc_dbos; Owner: -
--

CREATE INDEX idx_workflow_output_retention ON arc_dbos.workflow_output USING btree (retention_timestamp);


--
-- Name: idx_workflow_status_attributes; Type: INDEX; Schema: arc_dbos; Owner: -
--

CREATE INDEX idx_workflow_status_attributes ON arc_dbos.workflow_status USING gin (attributes) WHERE (attributes IS NOT NULL);


--
-- Name: idx_workflow_status_completed_at; Type: INDEX; Schema: arc_dbos; Owner: -
--

CREATE INDEX idx_workflow_status_completed_at ON arc_dbos.workflow_status USING btree (completed_at) WHERE (completed_at IS NOT NULL);


--
-- Name: idx_workflow_status_deadline; Type: INDEX; Schema: arc_dbos; Owner: -
--

CREATE INDEX idx_workflow_status_deadline ON arc_dbos.workflow_status USING btree (workflow_deadline_epoch_ms) WHERE ((status = ANY (ARRAY['ENQUEUED'::text, 'PENDING'::text, 'DELAYED'::text])) AND (workflow_deadline_epoch_ms IS NOT NULL));


--
-- Name: idx_workflow_status_delayed; Type: INDEX; Schema: arc_dbos; Owner: -
--

CREATE INDEX idx_workflow_status_delayed ON arc_dbos.workflow_status USING btree (delay_until_epoch_ms) WHERE (status = 'DELAYED'::text);


--
-- Name: idx_workflow_status_failed; Type: INDEX; Schema: arc_dbos; Owner: -
--

CREATE INDEX idx_workflow_status_failed ON arc_dbos.workflow_status USING btree (status, created_at) WHERE (status = ANY (ARRAY['ERROR'::text, 'CANCELLED'::text, 'MAX_RECOVERY_ATTEMPTS_EXCEEDED'::text]));


--
-- Name: idx_workflow_status_forked_from; Type: INDEX; Schema: arc_dbos; Owner: -
--

CREATE INDEX idx_workflow_status_forked_from ON arc_dbos.workflow_status USING btree (forked_from) WHERE (forked_from IS NOT NULL);


--
-- Name: idx_workflow_status_in_flight_v2; Type: INDEX; Schema: arc_dbos; Owner: -
--

CREATE INDEX idx_workflow_status_in_flight_v2 ON arc_dbos.workflow_status USING btree (queue_name, status, priority, created_at) INCLUDE (application_name) WHERE (status = ANY (ARRAY['ENQUEUED'::text, 'PENDING'::text]));


--
-- Name: idx_workflow_status_parent_workflow_id; Type: INDEX; Schema: arc_dbos; Owner: -
--

CREATE INDEX idx_workflow_status_parent_workflow_id ON arc_dbos.workflow_status USING btree (parent_workflow_id) WHERE (parent_workflow_id IS NOT NULL);


--
-- Name: idx_workflow_status_partition_dequeue_v3; Type: INDEX; Schema: arc_dbos; Owner: -
--

CREATE INDEX idx_workflow_status_partition_dequeue_v3 ON arc_dbos.workflow_status USING btree (queue_name, status, queue_partition_key, priority, created_at, workflow_uuid) INCLUDE (application_name) WHERE ((status = ANY (ARRAY['ENQUEUED'::text, 'PENDING'::text])) AND (queue_partition_key IS NOT NULL));


--
-- Name: idx_workflow_status_pending; Type: INDEX; Schema: arc_dbos; Owner: -
--

CREATE INDEX idx_workflow_status_pending ON arc_dbos.workflow_status USING btree (created_at) WHERE (status = 'PENDING'::text);


--
-- Name: idx_workflow_status_rate_limited; Type: INDEX; Schema: arc_dbos; Owner: -
--

CREATE INDEX idx_workflow_status_rate_limited ON arc_dbos.workflow_status USING btree (queue_name, started_at_epoch_ms) WHERE (rate_limited = true);


--
-- Name: idx_workflow_status_schedule_name; Type: INDEX; Schema: arc_dbos; Owner: -
--

CREATE INDEX idx_workflow_status_schedule_name ON arc_dbos.workflow_status USING btree (schedule_name) WHERE (schedule_name IS NOT NULL);


--
-- Name: idx_workflow_status_started_at; Type: INDEX; Schema: arc_dbos; Owner: -
--

CREATE INDEX idx_workflow_status_started_at ON arc_dbos.workflow_status USING btree (started_at_epoch_ms) WHERE (started_at_epoch_ms IS NOT NULL);


--
-- Name: idx_workflow_topic; Type: INDEX; Schema: arc_dbos; Owner: -
--

CREATE INDEX idx_workflow_topic ON arc_dbos.notifications USING btree (destination_uuid, topic);


--
-- Name: uq_application_versions_owner_version; Type: INDEX; Schema: arc_dbos; Owner: -
--

CREATE UNIQUE INDEX uq_application_versions_owner_version ON arc_dbos.application_versions USING btree (application_name, version_name) WHERE (application_name IS NOT NULL);


--
-- Name: uq_application_versions_unclaimed_version; Type: INDEX; Schema: arc_dbos; Owner: -
--

CREATE UNIQUE INDEX uq_application_versions_unclaimed_version ON arc_dbos.application_versions USING btree (version_name) WHERE (application_name IS NULL);


--
-- Name: uq_workflow_status_dedup_id; Type: INDEX; Schema: arc_dbos; Owner: -
--

CREATE UNIQUE INDEX uq_workflow_status_dedup_id ON arc_dbos.workflow_status USING btree (queue_name, deduplication_id) WHERE (deduplication_id IS NOT NULL);


--
-- Name: workflow_status_created_at_index; Type: INDEX; Schema: arc_dbos; Owner: -
--

CREATE INDEX workflow_status_created_at_index ON arc_dbos.workflow_status USING btree (created_at);


--
-- Name: arc_approvals_open; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX arc_approvals_open ON public.arc_approvals USING btree (until) WHERE (decision IS NULL);


--
-- Name: arc_runs_created; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX arc_runs_created ON public.arc_runs USING btree (created_at);


--
-- Name: arc_runs_finished; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX arc_runs_finished ON public.arc_runs USING btree (finished_at);


--
-- Name: arc_runs_state; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX arc_runs_state ON public.arc_runs USING btree (state, executor);


--
-- Name: arc_runs_uncarried; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX arc_runs_uncarried ON public.arc_runs USING btree (state, created_at) WHERE (((state)::text = 'queued'::text) AND (NOT carried));


--
-- Name: notifications notifications_destination_uuid_fkey; Type: FK CONSTRAINT; Schema: arc_dbos; Owner: -
--

ALTER TABLE ONLY arc_dbos.notifications
    ADD CONSTRAINT notifications_destination_uuid_fkey FOREIGN KEY (destination_uuid) REFERENCES arc_dbos.workflow_status(workflow_uuid) ON UPDATE CASCADE ON DELETE CASCADE;


--
-- Name: streams streams_workflow_uuid_fkey; Type: FK CONSTRAINT; Schema: arc_dbos; Owner: -
--

ALTER TABLE ONLY arc_dbos.streams
    ADD CONSTRAINT streams_workflow_uuid_fkey FOREIGN KEY (workflow_uuid) REFERENCES arc_dbos.workflow_status(workflow_uuid) ON UPDATE CASCADE ON DELETE CASCADE;


--
-- Name: workflow_events_history workflow_events_history_workflow_uuid_fkey; Type: FK CONSTRAINT; Schema: arc_dbos; Owner: -
--

ALTER TABLE ONLY arc_dbos.workflow_events_history
    ADD CONSTRAINT workflow_events_history_workflow_uuid_fkey FOREIGN KEY (workflow_uuid) REFERENCES arc_dbos.workflow_status(workflow_uuid) ON UPDATE CASCADE ON DELETE CASCADE;


--
-- Name: workflow_events workflow_events_workflow_uuid_fkey; Type: FK CONSTRAINT; Schema: arc_dbos; Owner: -
--

ALTER TABLE ONLY arc_dbos.workflow_events
    ADD CONSTRAINT workflow_events_workflow_uuid_fkey FOREIGN KEY (workflow_uuid) REFERENCES arc_dbos.workflow_status(workflow_uuid) ON UPDATE CASCADE ON DELETE CASCADE;


--
-- PostgreSQL database dump complete
--


