"""A server of the remote execution API for tests: it keeps blobs in memory and runs each action in a fresh folder.

    python remote_worker.py PORT LOG

Needs grpcio and the messages of the API, which the package BuildGrid has. Every action that runs is a line of LOG: what it
is, its exit code, and the files in its folder that are neither inputs nor declared outputs. Speaks version 2.0, which is
what Bazel 4 asks for. Good for tests on one machine, and for nothing else: there is no eviction, no queue and no limit.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from concurrent import futures

import grpc
from buildgrid._protos.build.bazel.remote.execution.v2 import remote_execution_pb2 as api
from buildgrid._protos.build.bazel.remote.execution.v2 import remote_execution_pb2_grpc as services
from buildgrid._protos.google.bytestream import bytestream_pb2 as streams
from buildgrid._protos.google.bytestream import bytestream_pb2_grpc as stream_services
from buildgrid._protos.google.longrunning import operations_pb2 as operations

PART = 1 << 20
UNLIMITED = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]


class Blobs:
    """What is stored, by the hash of its bytes."""

    def __init__(self):
        self.by_hash = {}
        self.put(b"")

    def put(self, data):
        digest = api.Digest(hash=hashlib.sha256(data).hexdigest(), size_bytes=len(data))
        self.by_hash[digest.hash] = data
        return digest

    def get(self, digest):
        return self.by_hash[digest.hash]

    def message(self, kind, digest):
        return kind.FromString(self.get(digest))


class Capabilities(services.CapabilitiesServicer):
    def GetCapabilities(self, request, context):
        found = api.ServerCapabilities()
        found.low_api_version.major = 2
        found.high_api_version.major = 2
        found.cache_capabilities.digest_functions.append(api.DigestFunction.SHA256)
        found.cache_capabilities.action_cache_update_capabilities.update_enabled = True
        found.execution_capabilities.digest_function = api.DigestFunction.SHA256
        found.execution_capabilities.exec_enabled = True
        return found


class Storage(services.ContentAddressableStorageServicer):
    def __init__(self, blobs):
        self.blobs = blobs

    def FindMissingBlobs(self, request, context):
        missing = [it for it in request.blob_digests if it.hash not in self.blobs.by_hash]
        return api.FindMissingBlobsResponse(missing_blob_digests=missing)

    def BatchUpdateBlobs(self, request, context):
        response = api.BatchUpdateBlobsResponse()
        for it in request.requests:
            response.responses.add(digest=self.blobs.put(it.data))
        return response

    def BatchReadBlobs(self, request, context):
        response = api.BatchReadBlobsResponse()
        for it in request.digests:
            response.responses.add(digest=it, data=self.blobs.get(it))
        return response


class Streams(stream_services.ByteStreamServicer):
    def __init__(self, blobs):
        self.blobs = blobs

    def Read(self, request, context):
        name = request.resource_name.split("/")[-2]
        data = self.blobs.by_hash.get(name)
        if data is None:
            context.abort(grpc.StatusCode.NOT_FOUND, name)
        for start in range(request.read_offset, max(len(data), 1), PART):
            yield streams.ReadResponse(data=data[start : start + PART])

    def Write(self, requests, context):
        data = b"".join(it.data for it in requests)
        self.blobs.put(data)
        return streams.WriteResponse(committed_size=len(data))


class Results(services.ActionCacheServicer):
    def __init__(self):
        self.by_action = {}

    def GetActionResult(self, request, context):
        result = self.by_action.get(request.action_digest.hash)
        if result is None:
            context.abort(grpc.StatusCode.NOT_FOUND, "not in the cache")
        return result

    def UpdateActionResult(self, request, context):
        self.by_action[request.action_digest.hash] = request.action_result
        return request.action_result


def files_in(folder):
    """The files and links below a folder, by path, each with its bytes or its target."""
    found = {}
    for place, folders, names in os.walk(folder):
        for name in names + [it for it in folders if os.path.islink(os.path.join(place, it))]:
            path = os.path.join(place, name)
            relative = os.path.relpath(path, folder)
            if os.path.islink(path):
                found[relative] = ("link", os.readlink(path))
            else:
                with open(path, "rb") as file:
                    found[relative] = ("file", hashlib.sha256(file.read()).hexdigest())
    return found


class Execution(services.ExecutionServicer):
    def __init__(self, blobs, results, log):
        self.blobs = blobs
        self.results = results
        self.log = log
        self.lock = threading.Lock()

    def Execute(self, request, context):
        action_hash = request.action_digest.hash
        result = None if request.skip_cache_lookup else self.results.by_action.get(action_hash)
        is_cached = result is not None
        if not is_cached:
            action = self.blobs.message(api.Action, request.action_digest)
            result = self.run(action)
            if result.exit_code == 0 and not action.do_not_cache:
                self.results.by_action[action_hash] = result
        operation = operations.Operation(name=action_hash, done=True)
        operation.response.Pack(api.ExecuteResponse(result=result, cached_result=is_cached))
        yield operation

    def run(self, action):
        command = self.blobs.message(api.Command, action.command_digest)
        folder = tempfile.mkdtemp(prefix="remote-worker-")
        try:
            self.stage(action.input_root_digest, folder)
            before = files_in(folder)
            home = os.path.join(folder, command.working_directory)
            declared = list(command.output_files) + list(command.output_directories)
            for path in declared:
                os.makedirs(os.path.dirname(os.path.join(home, path)), exist_ok=True)
            # Nothing of this process: no home, no temporary folder, no state.
            environment = {it.name: it.value for it in command.environment_variables}
            ran = subprocess.run(
                list(command.arguments),
                cwd=home,
                env={"PATH": "/usr/bin:/bin", **environment},
                capture_output=True,
                check=False,
            )
            result = api.ActionResult(exit_code=ran.returncode, stdout_raw=ran.stdout, stderr_raw=ran.stderr)
            self.collect(command, home, result)
            self.note(command, ran.returncode, before, files_in(folder), folder)
            return result
        finally:
            shutil.rmtree(folder)

    def stage(self, digest, folder):
        os.makedirs(folder, exist_ok=True)
        found = self.blobs.message(api.Directory, digest)
        for it in found.files:
            path = os.path.join(folder, it.name)
            with open(path, "wb") as file:
                file.write(self.blobs.get(it.digest))
            os.chmod(path, 0o555 if it.is_executable else 0o444)
        for it in found.directories:
            self.stage(it.digest, os.path.join(folder, it.name))
        for it in found.symlinks:
            os.symlink(it.target, os.path.join(folder, it.name))

    def put_file(self, path):
        with open(path, "rb") as file:
            return self.blobs.put(file.read())

    def collect(self, command, home, result):
        for path in command.output_files:
            full = os.path.join(home, path)
            if os.path.isfile(full):
                is_executable = os.access(full, os.X_OK)
                result.output_files.add(path=path, digest=self.put_file(full), is_executable=is_executable)
        for path in command.output_directories:
            full = os.path.join(home, path)
            if os.path.isdir(full):
                tree = api.Tree()
                tree.root.CopyFrom(self.tree(full, tree))
                result.output_directories.add(path=path, tree_digest=self.blobs.put(tree.SerializeToString()))

    def tree(self, folder, tree):
        found = api.Directory()
        for name in sorted(os.listdir(folder)):
            path = os.path.join(folder, name)
            if os.path.isdir(path):
                child = self.tree(path, tree)
                tree.children.append(child)
                found.directories.add(name=name, digest=self.blobs.put(child.SerializeToString()))
            else:
                is_executable = os.access(path, os.X_OK)
                found.files.add(name=name, digest=self.put_file(path), is_executable=is_executable)
        return found

    def note(self, command, code, before, after, folder):
        changed = [path for path, found in before.items() if after.get(path) != found]
        declared = [
            os.path.normpath(os.path.join(command.working_directory, it))
            for it in list(command.output_files) + list(command.output_directories)
        ]
        is_declared = lambda path: any(path == it or path.startswith(it + "/") for it in declared)
        stray = [path for path in after if path not in before and not is_declared(path)]
        words = " ".join(command.arguments[:2]).replace(folder, "")
        with self.lock, open(self.log, "a", encoding="utf-8") as log:
            log.write(f"{words}\t{code}\tchanged={changed}\tstray={stray}\n")


def main():
    port, log = sys.argv[1:]
    blobs, results = Blobs(), Results()
    server = grpc.server(futures.ThreadPoolExecutor(16), options=UNLIMITED)
    services.add_CapabilitiesServicer_to_server(Capabilities(), server)
    services.add_ContentAddressableStorageServicer_to_server(Storage(blobs), server)
    services.add_ActionCacheServicer_to_server(results, server)
    services.add_ExecutionServicer_to_server(Execution(blobs, results, log), server)
    stream_services.add_ByteStreamServicer_to_server(Streams(blobs), server)
    if server.add_insecure_port(f"127.0.0.1:{port}") == 0:
        sys.exit(f"port {port} is taken")
    server.start()
    print("ready", flush=True)
    server.wait_for_termination()


main()
