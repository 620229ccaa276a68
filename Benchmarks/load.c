/* Asks a server for something over and over, at less cost than any server has who answers it: what is measured is then
 * the server and not its client. wrk needs more of a core for a small answer than either server of the comparison.
 *
 * load CONNECTIONS SECONDS DEPTH FILE ADDRESS:PORT...
 *
 * FILE has whole requests; each time one is chosen at random and sent DEPTH times. A request with "Connection: close"
 * gets a connection of its own. Bodies are counted and thrown away in the kernel. Ends with status 1 and a reason at the
 * first answer that is none; else prints how many answers there were, the seconds, the bytes of all bodies, and how
 * many answers had another status than 200, 206 or 304. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { most_connections = 4096, most_requests = 1 << 15, buffer_size = 16 << 10 };

struct request {
  char *bytes;
  size_t count;
  int is_last;
};

struct connection {
  int number;
  const struct sockaddr_in *address;
  const struct request *request;
  /* Answers that are still to come, and bytes of a body that are. */
  int answers;
  long body;
  /* The beginning of a head. */
  size_t kept;
  char head[4096];
};

static struct request requests[most_requests];
static int request_count, depth, poller;
static long answers, bodies, wrong;
static uint64_t dice = 88172645463325252u;

static void fail(const char *what) {
  fprintf(stderr, "%s%s%s\n", what, errno ? ": " : "", errno ? strerror(errno) : "");
  exit(1);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static const struct request *choose(void) {
  dice ^= dice << 13;
  dice ^= dice >> 7;
  dice ^= dice << 17;
  return &requests[(dice >> 11) % (uint64_t)request_count];
}

static void read_requests(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) fail(path);
  fseek(file, 0, SEEK_END);
  size_t size = (size_t)ftell(file);
  rewind(file);
  char *text = malloc(size + 1);
  if (!text || fread(text, 1, size, file) != size) fail(path);
  fclose(file);
  text[size] = 0;
  for (char *start = text, *end; (end = strstr(start, "\r\n\r\n")) && request_count < most_requests; start = end + 4) {
    size_t count = (size_t)(end + 4 - start);
    struct request *request = &requests[request_count++];
    request->is_last = memmem(start, count, "\r\nConnection: close\r\n", 21) != NULL;
    request->count = count * (size_t)depth;
    request->bytes = malloc(request->count);
    if (!request->bytes) fail("memory");
    for (int copy = 0; copy < depth; copy++) memcpy(request->bytes + (size_t)copy * count, start, count);
  }
  if (!request_count) fail("no requests");
}

static void ask(struct connection *connection) {
  connection->request = choose();
  connection->answers = connection->request->is_last ? 1 : depth;
  size_t count = connection->request->count;
  if (send(connection->number, connection->request->bytes, count, MSG_NOSIGNAL) != (ssize_t)count) fail("send");
}

static void open_connection(struct connection *connection) {
  int yes = 1;
  connection->number = socket(AF_INET, SOCK_STREAM, 0);
  if (connection->number < 0) fail("socket");
  setsockopt(connection->number, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  if (connect(connection->number, (const struct sockaddr *)connection->address, sizeof *connection->address)) fail("connect");
  ask(connection);
  struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.ptr = connection};
  if (epoll_ctl(poller, EPOLL_CTL_ADD, connection->number, &event)) fail("epoll_ctl");
}

/* The answer is whole: what is to be asked next? */
static void finish(struct connection *connection) {
  answers += 1;
  connection->answers -= 1;
  if (connection->answers || connection->request->is_last) return;
  ask(connection);
}

/* Reads heads and bodies as far as they are there; returns the bytes of an unfinished head. */
static size_t take(struct connection *connection, const char *bytes, size_t count) {
  while (count) {
    if (connection->body) {
      size_t part = count < (size_t)connection->body ? count : (size_t)connection->body;
      connection->body -= (long)part;
      bytes += part;
      count -= part;
      if (!connection->body) finish(connection);
      continue;
    }
    if (!connection->answers) fail("more than was asked for");
    long length = -1;
    const char *line = bytes, *end = bytes + count, *next;
    for (;; line = next + 1) {
      if (!(next = memchr(line, '\n', (size_t)(end - line)))) return count;
      if (next == line + 1) break;
      if (next - line > 16 && (line[8] | 0x20) == 'l' && !strncasecmp(line, "content-length: ", 16)) length = atol(line + 16);
    }
    if (count < 12 || memcmp(bytes, "HTTP/1.1 ", 9)) fail("no answer in HTTP/1.1");
    int status = atoi(bytes + 9);
    if (status != 200 && status != 206 && status != 304) wrong += 1;
    if (status == 304) length = 0;
    if (length < 0) fail("an answer without a length");
    bodies += length;
    connection->body = length;
    count -= (size_t)(next + 1 - bytes);
    bytes = next + 1;
    if (!length) finish(connection);
  }
  return 0;
}

static void receive(struct connection *connection) {
  static char buffer[buffer_size + sizeof connection->head];
  for (;;) {
    ssize_t got;
    if (connection->body > (long)buffer_size) {
      size_t wanted = (size_t)connection->body;
      got = recv(connection->number, NULL, wanted, MSG_DONTWAIT | MSG_TRUNC);
      if (got > 0) {
        connection->body -= got;
        if (!connection->body) finish(connection);
        if ((size_t)got == wanted) continue;
      }
    } else {
      memcpy(buffer, connection->head, connection->kept);
      got = recv(connection->number, buffer + connection->kept, buffer_size, MSG_DONTWAIT);
      if (got > 0) {
        size_t count = connection->kept + (size_t)got;
        connection->kept = take(connection, buffer, count);
        if (connection->kept > sizeof connection->head) fail("a head of more than 4 KiB");
        memcpy(connection->head, buffer + count - connection->kept, connection->kept);
        if (got == buffer_size || connection->body > (long)buffer_size) continue;
      }
    }
    if (got < 0 && errno == EAGAIN) return;
    if (got < 0) fail("recv");
    if (connection->request->is_last && !connection->answers) {
      /* The server closes, and says so with the answer or right behind it. */
      if (got) continue;
      close(connection->number);
      open_connection(connection);
    } else if (!got) {
      errno = 0;
      fail("the server closed the connection");
    }
    return;
  }
}

int main(int count, char **words) {
  if (count < 6) fail("load CONNECTIONS SECONDS DEPTH FILE ADDRESS:PORT...");
  int connection_count = atoi(words[1]);
  double seconds = atof(words[2]);
  depth = atoi(words[3]);
  if (connection_count < 1 || connection_count > most_connections || depth < 1) fail("too few, or too many");
  read_requests(words[4]);
  poller = epoll_create1(0);
  static struct connection connections[most_connections];
  static struct sockaddr_in addresses[64];
  int address_count = 0;
  for (; address_count < count - 5 && address_count < 64; address_count++) {
    char *port = strchr(words[5 + address_count], ':');
    if (!port) fail("ADDRESS:PORT");
    *port = 0;
    addresses[address_count].sin_family = AF_INET;
    addresses[address_count].sin_addr.s_addr = inet_addr(words[5 + address_count]);
    addresses[address_count].sin_port = htons((uint16_t)atoi(port + 1));
  }
  double start = now(), end;
  for (int index = 0; index < connection_count; index++) {
    connections[index].address = &addresses[index % address_count];
    open_connection(&connections[index]);
  }
  static struct epoll_event events[512];
  while ((end = now()) - start < seconds) {
    int found = epoll_wait(poller, events, 512, 1000);
    if (found == 0) fail("no answer in a second");
    for (int index = 0; index < found; index++) receive(events[index].data.ptr);
  }
  printf("%ld answers in %.6f s, %ld bytes, %ld wrong\n", answers, end - start, bodies, wrong);
}
