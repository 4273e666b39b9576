// Delays frames between a host and the bridge, because not every kernel has netem.
//
//   relay HOST_SIDE BRIDGE_SIDE FROM_HOST_US TO_HOST_US [MAC=US ...]
//
// A frame to the host from one of the MACs is delayed by its US in addition. Prints "ready" when it relays.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
// The kernel's headers must follow those of the C library.
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>

enum { most_frames = 16384, most_lanes = 2048, largest = 70000, batch = 64 };

struct frame {
  int64_t due;
  int bytes;
  unsigned char* data;
};

// Frames with the same delay keep their order, so a ring is enough.
struct lane {
  int64_t delay;
  int to;  // index of the socket that it leaves by
  int any_source;
  unsigned char source[ETH_ALEN];
  unsigned head, tail;
  struct frame* ring;
};

static struct lane lanes[most_lanes];
static int lane_count;
static const char* names[2];
static int sockets[2];

static void die(const char* what) {
  fprintf(stderr, "relay: %s: %s\n", what, strerror(errno));
  exit(1);
}

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int open_on(const char* name) {
  const int s = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK, 0);
  if (s < 0) die("socket");
  const int one = 1, room = 64 << 20;
  // The header tells which checksum or segmentation is still missing: veth leaves both to the end.
  if (setsockopt(s, SOL_PACKET, PACKET_VNET_HDR, &one, sizeof one)) die("PACKET_VNET_HDR");
  if (setsockopt(s, SOL_PACKET, PACKET_IGNORE_OUTGOING, &one, sizeof one)) die("PACKET_IGNORE_OUTGOING");
  setsockopt(s, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room);
  setsockopt(s, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof room);
  struct sockaddr_ll at = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL)};
  at.sll_ifindex = (int)if_nametoindex(name);
  if (!at.sll_ifindex || bind(s, (struct sockaddr*)&at, sizeof at)) die(name);
  struct packet_mreq all = {.mr_ifindex = at.sll_ifindex, .mr_type = PACKET_MR_PROMISC};
  if (setsockopt(s, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &all, sizeof all)) die("PACKET_ADD_MEMBERSHIP");
  return s;
}

static void add_lane(int to, int64_t microseconds, const char* source) {
  if (lane_count == most_lanes) {
    errno = E2BIG;
    die("delays");
  }
  struct lane* lane = &lanes[lane_count++];
  lane->to = to;
  lane->delay = microseconds * 1000;
  lane->any_source = !source;
  unsigned char* m = lane->source;
  if (source && sscanf(source, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", m, m + 1, m + 2, m + 3, m + 4, m + 5) != 6) {
    errno = EINVAL;
    die(source);
  }
  lane->ring = calloc(most_frames, sizeof *lane->ring);
  if (!lane->ring) die("calloc");
}

static struct lane* lane_of(int to, const unsigned char* ethernet) {
  for (int i = 0; i < lane_count; ++i)
    if (lanes[i].to == to && (lanes[i].any_source || !memcmp(lanes[i].source, ethernet + ETH_ALEN, ETH_ALEN)))
      return &lanes[i];
  return NULL;
}

// A port that is down may come up again.
static void end_if_gone(int from) {
  if (!if_nametoindex(names[from])) exit(0);
}

static void take_in(int from) {
  static unsigned char buffer[largest];
  for (int i = 0; i < batch; ++i) {
    const ssize_t n = recv(sockets[from], buffer, sizeof buffer, 0);
    if (n < 0 && (errno == ENETDOWN || errno == ENXIO || errno == ENODEV)) end_if_gone(from);
    if (n < (ssize_t)(sizeof(struct virtio_net_hdr) + ETH_HLEN)) return;
    struct lane* lane = lane_of(1 - from, buffer + sizeof(struct virtio_net_hdr));
    if (!lane || lane->tail - lane->head == most_frames) continue;  // full: dropped, as in a switch
    struct frame* frame = &lane->ring[lane->tail % most_frames];
    frame->data = malloc((size_t)n);
    if (!frame->data) continue;
    memcpy(frame->data, buffer, (size_t)n);
    frame->bytes = (int)n;
    frame->due = now() + lane->delay;
    ++lane->tail;
  }
}

// Returns when the next frame is due; 0: none waits.
static int64_t let_out(void) {
  int64_t next = 0;
  for (int i = 0; i < lane_count; ++i) {
    struct lane* lane = &lanes[i];
    for (; lane->head != lane->tail; ++lane->head) {
      struct frame* frame = &lane->ring[lane->head % most_frames];
      if (frame->due > now()) {
        if (!next || frame->due < next) next = frame->due;
        break;
      }
      if (send(sockets[lane->to], frame->data, (size_t)frame->bytes, 0) < 0 && errno == EAGAIN) {
        next = now() + 100000;
        break;
      }
      free(frame->data);
    }
  }
  return next;
}

int main(int count, char** words) {
  if (count < 5) {
    fprintf(stderr, "usage: relay HOST_SIDE BRIDGE_SIDE FROM_HOST_US TO_HOST_US [MAC=US ...]\n");
    return 2;
  }
  prctl(PR_SET_TIMERSLACK, 1);
  for (int i = 0; i < 2; ++i) {
    names[i] = words[1 + i];
    sockets[i] = open_on(names[i]);
  }
  const int64_t to_host = atoll(words[4]);
  for (int i = 5; i < count; ++i) {
    const char* equals = strchr(words[i], '=');
    if (equals) add_lane(0, to_host + atoll(equals + 1), words[i]);
  }
  add_lane(0, to_host, NULL);
  add_lane(1, atoll(words[3]), NULL);
  printf("ready\n");
  fclose(stdout);
  for (;;) {
    const int64_t next = let_out();
    struct pollfd polled[2] = {{sockets[0], POLLIN, 0}, {sockets[1], POLLIN, 0}};
    const int64_t left = next ? next - now() : 1000000000;
    const struct timespec limit = {left / 1000000000, left > 0 ? left % 1000000000 : 0};
    if (left > 0 && ppoll(polled, 2, &limit, NULL) < 0 && errno != EINTR) die("ppoll");
    for (int i = 0; i < 2; ++i) take_in(i);
  }
}
